import createClient, { type Client } from 'openapi-fetch';
import { problemFrom } from './problem.js';
import type { components, paths } from './schema.js';

type Schemas = components['schemas'];
/** What is sent and received, by name: generated from the OpenAPI document. */
export type Run = Schemas['Run'];
export type RunInput = Schemas['RunInput'];
export type RunSummary = Schemas['RunSummary'];
export type Leg = Schemas['Leg'];
export type Step = Schemas['Step'];
export type Attempt = Schemas['Attempt'];
export type Metric = Schemas['Metric'];
export type Reparse = Schemas['Reparse'];
export type Rediagnosis = Schemas['Rediagnosis'];
export type Advice = Schemas['Advice'];
export type Site = Schemas['Site'];
export type Probe = Schemas['Probe'];
export type Path = Schemas['Path'];
export type Plan = Schemas['Plan'];
export type PlanInput = Schemas['PlanInput'];
/** A test of a plan; `kind` tells which. */
export type TestInput = Schemas['TestInput'];
export type CriterionInput = Schemas['CriterionInput'];

export interface ClientOptions {
  /** Without /v1: `http://127.0.0.1:7420`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly fetch?: (request: Request) => Promise<Response>;
}
export type PlumblineClient = Client<paths>;

/** Calls return `{ data }` or `{ error }`, both typed by the route; network failures are thrown by fetch. */
export const createPlumblineClient = ({ baseUrl, token, fetch }: ClientOptions): PlumblineClient =>
  createClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${token}` },
    ...(fetch ? { fetch } : {}),
  });

/**
 * The data of a call, for those who would rather catch than ask.
 * @throws {ApiProblem} when the control plane said no
 */
export async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemFrom(response.status, error);
  // A 204 has no data, and its type says so.
  return data as T;
}

/** All items of a list, page by page. The pages end: the last one has no token. */
export async function* allItems<T>(
  page: (pageToken: string | undefined) => Promise<{ items: T[]; nextPageToken?: string }>,
): AsyncGenerator<T> {
  let token: string | undefined;
  do {
    const { items, nextPageToken } = await page(token);
    yield* items;
    token = nextPageToken;
  } while (token !== undefined);
}
