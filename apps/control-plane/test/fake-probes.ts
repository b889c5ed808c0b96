import { type HostSnapshot, ProblemError } from '@plumbline/model';
import type { BackRooms } from '../src/app.module.js';
import { PersistenceModule } from '../src/persistence/persistence.module.js';
import { Database, Execution, ProbeDirectory, type ProbeReport } from '../src/persistence/seams.js';

/** Probes that answer what a test wants, by address, and an execution that only cancels queued rows. */
export class FakeProbes extends ProbeDirectory {
  readonly reports = new Map<string, ProbeReport | ProblemError | 'hangs'>();
  asked: { name: string; address: string; enrolled: boolean }[] = [];

  async inventory(probe: { name: string; address: string; enrolled: boolean }): Promise<ProbeReport> {
    this.asked.push(probe);
    const report = this.reports.get(probe.address);
    if (report === 'hangs') return new Promise(() => undefined);
    if (report instanceof ProblemError) throw report;
    if (!report)
      throw new ProblemError('probe-unreachable', `Probe ${probe.name} at ${probe.address}: nothing listens`);
    if (report.name !== probe.name)
      throw new ProblemError('probe-identity-mismatch', `The probe at that address says that it is ${report.name}.`);
    return report;
  }

  async snapshot(probe: { name: string; address: string; enrolled: boolean }): Promise<HostSnapshot> {
    await this.inventory(probe);
    return {
      takenAt: new Date().toISOString(),
      kernel: '6.1.0',
      tools: {},
      sysctls: {},
      unknown: { qdisc: 'not asked' },
    };
  }

  /** A probe that is up at that address. */
  add(name: string, site: string, address: string, endpoints: ProbeReport['endpoints']): void {
    this.reports.set(address, {
      name,
      site,
      version: '0.1.0',
      endpoints,
      tools: { iperf3: '3.12', ping: '20221126', ss: null },
      congestionControls: ['reno', 'cubic'],
      defaultCongestionControl: 'cubic',
      clockOffsetMs: 1.5,
      enrolled: false,
    });
  }
}

/** The rooms behind the seams with those probes instead of real ones. */
export function backWith(probes: FakeProbes): BackRooms {
  class FakeExecutionModule {}
  const execution = {
    module: FakeExecutionModule,
    global: true,
    providers: [
      { provide: ProbeDirectory, useValue: probes },
      { provide: Execution, inject: [Database], useFactory: cancellingOnly },
    ],
    exports: [ProbeDirectory, Execution],
  };
  return { persistence: PersistenceModule, execution };
}

function cancellingOnly({ client }: Database): Execution {
  return {
    drain() {},
    async poke() {},
    async cancelRun(runId) {
      const where = { state: { in: ['queued' as const, 'running' as const] } };
      await client.leg.updateMany({ where: { runId, ...where }, data: { state: 'cancelled' } });
      await client.run.updateMany({
        where: { id: runId, ...where },
        data: { state: 'cancelled', endedAt: new Date() },
      });
    },
    async reparse() {
      throw new Error('nothing was measured here');
    },
    async advise() {
      return undefined;
    },
    async rediagnose(runId) {
      if (!(await client.run.findUnique({ where: { id: runId } })))
        throw new ProblemError('not-found', `There is no run ${runId}.`);
      throw new ProblemError('conflict', 'Nothing was measured here.');
    },
  };
}
