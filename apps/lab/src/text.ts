import type { DirectionStat } from './emulator-control.js';
import { formatDuration, formatRate, formatRatio, formatSize } from './quantities.js';
import type { LabStatus, LinkStatus } from './status.js';
import type { DirectionSettings } from './topology.js';
import type { Lab } from './up.js';

/** What `plumb lab up` prints: the path, its addresses and the next command. */
export function labText(lab: Lab): string {
  const { client, router, server } = lab.hosts;
  const [link1, link2] = lab.links;
  const addresses = [client, router, server].map(({ namespace, interfaces }) => {
    const each = interfaces.map(({ name, ipv4, ipv6 }) => `${name} ${ipv4}${lab.hasIpv6 ? ` ${ipv6}` : ''}`);
    return `  ${namespace}: ${each.join(', ')}`;
  });
  return [
    `Lab ${lab.name} is up: client - link 1 - router - link 2 - server`,
    ...linkLines(1, link1.ab, link1.ba),
    ...linkLines(2, link2.ab, link2.ba),
    ...addresses,
    `Try: plumb lab exec --name ${lab.name} client -- ping -c 5 ${server.interfaces[0]?.ipv4}`,
    lab.mode === 'detached' ? `It stays until: plumb lab down --name ${lab.name}` : 'It ends with this program.',
  ].join('\n');
}

function linkLines(link: number, ab: DirectionSettings, ba: DirectionSettings): string[] {
  const [there, back] = [settingsText(ab), settingsText(ba)];
  if (there === back) return [`  link ${link}: ${there}`];
  return [`  link ${link} ab: ${there}`, `  link ${link} ba: ${back}`];
}

const settingsText = ({ rateBps, delayMs, queueBytes, lossRatio }: DirectionSettings): string =>
  `${formatRate(rateBps)}, ${formatDuration(delayMs)} one way, queue ${formatSize(queueBytes)}${
    lossRatio > 0 ? `, loss ${formatRatio(lossRatio)}` : ''
  }`;

/** What `plumb lab status` prints. */
export function labStatusText(status: LabStatus): string {
  const overruns =
    status.overruns === null
      ? []
      : status.overruns > 0
        ? [
            `  ${status.overruns} frames were lost because the machine was too busy; figures taken meanwhile do not hold`,
          ]
        : [];
  return [
    `Lab ${status.name}: ${status.state}, ${status.mode}, since ${status.createdAt}, MTU ${status.mtuBytes}`,
    ...status.linkStatus.flatMap(linkStatusLines),
    ...overruns,
  ].join('\n');
}

function linkStatusLines({ link, pid, stat, problem }: LinkStatus): string[] {
  if (!stat) return [`  link ${link}: ${problem ?? 'unknown'}`];
  return [
    `  link ${link}, process ${pid}`,
    ...(['ab', 'ba'] as const).flatMap((direction) => [
      `    ${direction}: ${[...settingWords(stat[direction])].join(', ')}`,
      `        ${[...counterWords(stat[direction])].join(', ')}`,
    ]),
  ];
}

function* settingWords(s: DirectionStat): Generator<string> {
  if (!s.up) yield 'DOWN';
  yield formatRate(s.rateBps);
  yield `${formatDuration(s.delayUs / 1000)} one way`;
  yield `queue ${formatSize(s.queueBytes)}${s.queueUs > 0 ? ` or ${formatDuration(s.queueUs / 1000)}` : ''}`;
  if (s.lossRatio > 0) yield `loss ${formatRatio(s.lossRatio)}`;
  if (s.duplicateRatio > 0) yield `duplicates ${formatRatio(s.duplicateRatio)}`;
  if (s.reorderRatio > 0)
    yield `${formatRatio(s.reorderRatio)} held back by ${formatDuration(s.reorderExtraUs / 1000)}`;
  if (s.flowRateBps > 0) yield `each flow at ${formatRate(s.flowRateBps)}`;
  if (s.policerBps > 0) yield `policed to ${formatRate(s.policerBps)}, burst ${formatSize(s.policerBurstBytes)}`;
  if (s.maxPacketBytes > 0) yield `packets over ${s.maxPacketBytes} B vanish`;
  if (!s.windowScale) yield 'window scale stripped';
}

function* counterWords(s: DirectionStat): Generator<string> {
  yield `${s.received} packets in, ${s.delivered} out`;
  const drops: readonly (readonly [number, string])[] = [
    [s.lost, 'lost at random'],
    [s.droppedQueue, 'dropped by the queue'],
    [s.droppedPolicer, 'dropped by the policer'],
    [s.droppedLong, 'too long'],
    [s.droppedDown, 'dropped while down'],
    [s.droppedMemory, 'dropped for lack of memory in the emulator'],
    [s.undeliverable, 'not taken by the far interface'],
    [s.duplicated, 'duplicated'],
    [s.reordered, 'held back'],
    [s.windowScaleStripped, 'window scales stripped'],
  ];
  for (const [count, what] of drops) if (count > 0) yield `${count} ${what}`;
  yield `late by ${s.lateMeanUs.toFixed(0)} us on average, ${s.lateMaxUs.toFixed(0)} us at most`;
}
