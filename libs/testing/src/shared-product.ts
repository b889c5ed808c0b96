import { createServer } from 'node:http';
import { z } from 'zod';
import { callsOf, type JoinedProduct, type Product, startProduct } from './product.js';

const Offered = z.object({ url: z.string(), dataDir: z.string(), token: z.string() });

export interface ProductOffer {
  /** For `joinProduct`, in another process. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * One product for many test files: it starts when the first of them joins, and ends with `stop`. For vitest's `globalSetup`, whose
 * process outlives those of the files.
 */
export async function offerProduct(): Promise<ProductOffer> {
  let product: Promise<Product> | undefined;
  const server = createServer(async (_, response) => {
    product ??= startProduct();
    try {
      const { url, dataDir, token } = await product;
      response.end(JSON.stringify({ url, dataDir, token }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('no port for the offer of a product');
  return {
    address: `http://127.0.0.1:${at.port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await (await product?.catch(() => undefined))?.stop();
    },
  };
}

/**
 * The product that is offered there, started if nobody has asked for it before. What is registered in it stays for the files after:
 * give names of your own, and take them away again.
 * @throws {Error} with what it printed when it does not start
 */
export async function joinProduct(address: string): Promise<JoinedProduct> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(60_000) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return callsOf(Offered.parse(JSON.parse(text)));
}
