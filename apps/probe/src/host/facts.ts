import { readFileSync } from 'node:fs';
import { type ProbeHost, tools } from '@plumbline/measure';
import { findProgram } from '@plumbline/process';
import { type Argv, runCommands } from './commands.js';

/**
 * Programs that no ability drives yet, and how each tells its version. The others say it themselves (measure's `tools`), which
 * wins where both do.
 */
const MORE_PROGRAMS: readonly Argv[] = [['ethtool', '--version']];

const AGAIN_AFTER_MS = 60_000;
const DEADLINE_MS = 5000;
const FIRST_LINES = 5;
const FIRST_BYTES = 2048;

export interface ToolText {
  readonly tool: string;
  readonly text: string;
  readonly present: boolean;
}

/** What this host has. Looked up once, and again when somebody asks a minute or more later. */
export class HostFacts {
  #tools: readonly ToolText[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  /** @param temporary a folder for what lives only while it looks */
  constructor(private readonly temporary: string) {}

  /** Looks again if the last look is too old. Ends after DEADLINE_MS at the latest. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#lookedAt < AGAIN_AFTER_MS) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    const known = tools.map(({ name, versionArgv }) => ({ tool: name, argv: versionArgv }));
    const more = MORE_PROGRAMS.filter(([program]) => !known.some(({ argv }) => argv[0] === program));
    const programs = [...known, ...more.map((argv) => ({ tool: argv[0], argv }))];
    this.#tools = await askVersions(programs, this.temporary);
    this.#lookedAt = performance.now();
  }

  get tools(): readonly ToolText[] {
    return this.#tools;
  }

  get host(): ProbeHost {
    const present = this.#tools.filter((tool) => tool.present);
    return {
      tools: Object.fromEntries(present.map(({ tool, text }) => [tool, text])),
      congestionControls: congestionControls().usable,
      root: isRoot(),
    };
  }
}

/** @param programs each by its name here, which is not always the program's own: iperf 2 is `iperf` */
async function askVersions(
  programs: readonly { readonly tool: string; readonly argv: Argv }[],
  temporary: string,
): Promise<ToolText[]> {
  const present = programs.flatMap(({ argv }) => (findProgram(argv[0]) === undefined ? [] : [argv]));
  const answers = await runCommands(present, temporary, DEADLINE_MS);
  return programs.map(({ tool, argv }) => {
    const lines = (answers[present.indexOf(argv)]?.printed ?? '').split('\n').filter((line) => line.trim() !== '');
    return {
      tool,
      text: lines.slice(0, FIRST_LINES).join('\n').slice(0, FIRST_BYTES),
      present: present.includes(argv),
    };
  });
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** As the kernel lists them for this network namespace. Users other than root may only use the allowed ones (tcp(7)). */
export function congestionControls(): { usable: string[]; byDefault: string } {
  const usable = words(isRoot() ? 'tcp_available_congestion_control' : 'tcp_allowed_congestion_control');
  return { usable, byDefault: words('tcp_congestion_control')[0] ?? '' };
}

function words(name: string): string[] {
  try {
    return readFileSync(`/proc/sys/net/ipv4/${name}`, 'latin1').split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
}
