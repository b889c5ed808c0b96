import { z } from 'zod';

/** What commander read for every command that talks to a control plane. */
export const Connected = z.object({
  server: z.string().optional(),
  tokenFile: z.string().optional(),
  plainHttp: z.boolean().optional(),
});
export const PrintsData = Connected.extend({ json: z.boolean().default(false) });
