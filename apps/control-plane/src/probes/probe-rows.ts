import { Endpoint, type Probe, ProbeState } from '@plumbline/model';
import { z } from 'zod';
import type { Probe as ProbeRow } from '../persistence/generated/client.js';
import type { ProbeReport } from '../persistence/seams.js';

/** `probe.inventory`: what the probe last said of itself, as far as it is shown. */
const StoredInventory = z.object({
  tools: z.record(z.string(), z.string().nullable()).catch({}),
  congestionControls: z.array(z.string()).catch([]),
});

export const Endpoints = z.array(Endpoint);

export const probeOf = (row: ProbeRow): Probe => {
  const inventory = StoredInventory.safeParse(row.inventory).data ?? { tools: {}, congestionControls: [] };
  return {
    name: row.name,
    site: row.siteName,
    address: row.address,
    endpoints: Endpoints.parse(row.endpoints),
    state: ProbeState.safeParse(row.state).data ?? 'unknown',
    reason: row.reason ?? undefined,
    version: row.version,
    enrolled: row.enrolled,
    certificateNotAfter: row.certificateNotAfter?.toISOString() ?? null,
    tools: inventory.tools,
    congestionControls: inventory.congestionControls,
    clockOffsetMs: row.clockOffsetMs,
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
};

/** The columns that a fresh inventory fills. */
export const seenColumns = (report: ProbeReport) => ({
  inventory: {
    tools: report.tools,
    congestionControls: [...report.congestionControls],
    defaultCongestionControl: report.defaultCongestionControl,
  },
  state: 'up',
  reason: null,
  version: report.version,
  enrolled: report.enrolled,
  clockOffsetMs: report.clockOffsetMs,
  lastSeenAt: new Date(),
});
