import { offerProduct } from '@plumbline/testing';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** For `joinProduct` of @plumbline/testing. */
    productAt: string;
  }
}

/** For vitest's globalSetup: the files of a run share one product, which starts when the first of them asks for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, stop } = await offerProduct();
  project.provide('productAt', address);
  return stop;
}
