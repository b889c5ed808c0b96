import { traceLimits } from '@plumbline/measure';
import { z } from 'zod';
import { asDeadline, direction, everyTest, omitsNothing } from '../../parameters.js';

const { flows, cycles, maxHops, port, deadlineS } = traceLimits;
/** What each method is traced by unless the test says otherwise; the others that can are listed beside it. */
export const TRACE_TOOLS = { icmp: ['mtr'], udp: ['mtr', 'tracepath'], 'tcp-syn': ['hping3', 'mtr'] } as const;

/** The hops on the way. */
export const TraceTest = z
  .strictObject({
    kind: z.literal('trace'),
    ...everyTest,
    direction,
    durationS: asDeadline(deadlineS),
    omitS: omitsNothing('each hop is asked a few times, and the first answer is as good as the others'),
    method: z.enum(['icmp', 'udp', 'tcp-syn']).default('icmp').meta({
      description: 'What is sent: echoes, UDP, or TCP SYNs, which get through filters that stop the others.',
    }),
    flows: flows.default(1).meta({ description: 'Several flows (of mtr) show load balancing.' }),
    cycles: cycles.default(10).meta({ description: 'How often each hop of a flow is asked (by mtr).' }),
    maxHops: maxHops.default(30),
    port: port.optional().meta({ description: 'Of tcp-syn: the port at the far end; 443 when absent.' }),
    tool: z.enum(['mtr', 'tracepath', 'hping3']).optional().meta({
      description: 'mtr for icmp and udp, hping3 for tcp-syn when absent. Only mtr tells loss.',
    }),
  })
  .superRefine((test, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const tools: readonly string[] = TRACE_TOOLS[test.method];
    if (test.tool !== undefined && !tools.includes(test.tool))
      issue('tool', `${test.method} is traced by ${tools.join(' or ')}`);
    if (test.flows > 1 && traceToolOf(test) !== 'mtr')
      issue('flows', 'several flows are walked by mtr only: give tool mtr');
    if (test.port !== undefined && test.method !== 'tcp-syn') issue('port', 'only tcp-syn has a port');
  })
  .meta({ id: 'TraceTest' });
export type TraceTest = z.output<typeof TraceTest>;

export const traceToolOf = ({ method, tool }: Pick<TraceTest, 'method' | 'tool'>): string =>
  tool ?? TRACE_TOOLS[method][0];
