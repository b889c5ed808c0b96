/** A route as Fastify has it: `GET`, `/v1/sites/:name`. */
export interface RoutePattern {
  readonly method: string;
  readonly url: string;
}

/** Which methods a path has, sorted; none when there is no such path. Needed to tell 405 from 404. */
export function allowedMethods(routes: readonly RoutePattern[], path: string): string[] {
  const wanted = path.split('/');
  const fits = ({ url }: RoutePattern): boolean => {
    const pattern = url.split('/');
    return pattern.length === wanted.length && pattern.every((part, i) => matches(part, wanted[i] ?? ''));
  };
  return [...new Set(routes.filter(fits).map((r) => r.method))].sort();
}

const matches = (pattern: string, part: string): boolean => (pattern.startsWith(':') ? part !== '' : pattern === part);
