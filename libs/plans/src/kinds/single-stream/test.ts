import { CongestionControl, throughputLimits } from '@plumbline/measure';
import { z } from 'zod';
import { bulkDirection, everyTest } from '../../parameters.js';

const { durationS, omitS, windowBytes, planMssBytes, dscp, rateBps } = throughputLimits;

/** One TCP stream. `omitS` defaults to 0: what is asked for is what is measured; give it to leave slow start out. */
export const SingleStreamTest = z
  .strictObject({
    kind: z.literal('single-stream'),
    ...everyTest,
    direction: bulkDirection,
    durationS: durationS.default(10).meta({ description: 'Seconds that are measured, after the omitted ones.' }),
    omitS: omitS.default(0).meta({ description: 'Seconds at the start that are not counted: slow start.' }),
    congestionControl: CongestionControl.optional(),
    windowBytes: windowBytes.optional().meta({
      description: 'Socket buffer to ask for at both ends (SO_SNDBUF, SO_RCVBUF). Switches autotuning off.',
    }),
    mssBytes: planMssBytes.optional(),
    dscp: dscp.optional(),
    rateBps: rateBps.optional().meta({ description: 'Paces the sender to this rate in bit/s.' }),
    tool: z
      .enum(['iperf3', 'nuttcp'], { error: 'tool is iperf3 or nuttcp: this version runs no other' })
      .default('iperf3')
      .meta({
        description:
          'Which program measures. nuttcp is a second opinion on the same path: another program, another count at the receiver. It knows no omitS and no congestionControl, one direction at a time and windows of whole KiB: a plan that asks it for more is refused.',
      }),
    capture: z.boolean().default(false).meta({
      description:
        "Captures the headers of the test's packets at both ends, where tcpdump is there and may: as evidence, and for windows and the options of the handshake. Of one direction at a time: simultaneous is refused.",
    }),
  })
  .meta({ id: 'SingleStreamTest' });
export type SingleStreamTest = z.output<typeof SingleStreamTest>;
