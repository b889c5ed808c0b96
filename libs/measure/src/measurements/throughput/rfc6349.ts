import { rfc6349IsMeaningful } from '@plumbline/analysis';
import type { Metric } from '@plumbline/model';
import type { ThroughputResult } from './result.js';

/**
 * Says where the method of RFC 6349 ends (section 3: not above 5 % loss), so that nobody builds on its metrics there. What was
 * sent again stands for what was lost; the baseline's echoes are too few to tell 5 %.
 */
export function rfc6349Remarks(result: ThroughputResult | undefined, metrics: readonly Metric[]): string[] {
  const efficiency = metrics.find(({ name, labels }) => name === 'efficiency' && labels?.stream === undefined)?.value;
  if (!result || typeof efficiency !== 'number' || rfc6349IsMeaningful(1 - efficiency, 0)) return [];
  const percent = ((1 - efficiency) * 100).toFixed(1);
  return [
    `${percent} % of the bytes were sent again: above 5 % of loss RFC 6349 says nothing, so take efficiency, buffer-delay and transfer-time-ratio for symptoms only`,
  ];
}
