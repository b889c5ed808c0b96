import { isAlive } from '@plumbline/process';
import { z } from 'zod';
import { type LinkStat, readLinkStat } from './emulator-control.js';
import { requireLab } from './host.js';
import { sentenceOf } from './lab-error.js';
import type { EmulatorState, LabPlace, LabState } from './lab-state.js';
import { listNamespaces, runIp } from './namespaces.js';
import { HOSTS, type LinkNumber, namespaceOf } from './topology.js';
import { describeLab, type Lab } from './up.js';

export interface LinkStatus {
  link: LinkNumber;
  pid: number | null;
  alive: boolean;
  /** Null when the emulator does not answer; `problem` then says why. */
  stat: LinkStat | null;
  problem?: string;
}

export interface LabStatus extends Lab {
  /** `broken`: a namespace or an emulator is gone; only `down` helps. */
  state: 'up' | 'making' | 'broken';
  createdAt: string;
  linkStatus: LinkStatus[];
  /**
   * Frames that hosts sent but the emulator was too late to read, all interfaces together; null when they cannot be
   * read. Not zero: the machine was too busy, and what was measured meanwhile says nothing about the link.
   */
  overruns: number | null;
}

/** How a lab is doing. @throws {LabError} lab-not-found, state-unreadable */
export async function labStatus(name: string, place: LabPlace = {}): Promise<LabStatus> {
  const state = await requireLab(name, place);
  const linkStatus = await Promise.all(state.emulators.map(statusOf));
  const names = await listNamespaces();
  const whole =
    state.namespaces.every((namespace) => names.includes(namespace)) && linkStatus.every(({ alive }) => alive);
  return {
    ...describeLab(state, place),
    state: state.phase === 'making' ? 'making' : whole ? 'up' : 'broken',
    createdAt: state.createdAt,
    linkStatus,
    overruns: whole ? await countOverruns(state) : null,
  };
}

async function statusOf(emulator: EmulatorState): Promise<LinkStatus> {
  const alive = emulator.process !== undefined && isAlive(emulator.process);
  const facts = { link: emulator.link, pid: emulator.process?.pid ?? null, alive };
  if (!alive) return { ...facts, stat: null, problem: `the emulator of link ${emulator.link} has ended` };
  try {
    return { ...facts, stat: await readLinkStat(emulator.control) };
  } catch (error) {
    return { ...facts, stat: null, problem: sentenceOf(error) };
  }
}

const Interfaces = z.array(
  z.object({ ifname: z.string().optional(), stats64: z.object({ tx: z.object({ dropped: z.number() }) }).optional() }),
);

async function countOverruns(state: LabState): Promise<number | null> {
  try {
    const drops = await Promise.all(HOSTS.map((host) => droppedIn(namespaceOf(state.name, host))));
    return drops.reduce((sum, dropped) => sum + dropped, 0);
  } catch {
    return null;
  }
}

async function droppedIn(namespace: string): Promise<number> {
  const interfaces = Interfaces.parse(JSON.parse(await runIp(['-n', namespace, '-s', '-j', 'link', 'show'])));
  return interfaces
    .filter(({ ifname }) => ifname?.startsWith('wan'))
    .reduce((sum, { stats64 }) => sum + (stats64?.tx.dropped ?? 0), 0);
}
