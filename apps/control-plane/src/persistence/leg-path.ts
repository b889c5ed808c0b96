import { InterfaceName, IpAddress, Name, Path, SharedLink } from '@plumbline/model';
import { z } from 'zod';

/** One end of a leg as the registered probe had it when the run was asked for. */
export const LegEndpoint = z.object({
  probe: Name,
  endpoint: Name,
  site: Name,
  address: IpAddress,
  interface: InterfaceName.optional(),
});
export type LegEndpoint = z.output<typeof LegEndpoint>;

/**
 * `leg.path_document`: what POST /v1/runs froze of the path, written by the HTTP side and read by the execution side.
 * `sharedLinks` are the path's own and those of both sites; one named twice counts once, with its smallest capacity.
 */
export const LegPath = z.object({
  path: Path,
  source: LegEndpoint,
  destination: LegEndpoint,
  sharedLinks: z.array(SharedLink),
});
export type LegPath = z.output<typeof LegPath>;
