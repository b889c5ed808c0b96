import { setTimeout as sleep } from 'node:timers/promises';
import { RULE_SET } from '@plumbline/analysis';
import { Advice, Leg, Rediagnosis } from '@plumbline/model';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addToken, must, withDatabase } from '../resources.js';
import type { CallOptions, Stack } from '../stack.js';

const Run = z.object({ state: z.string(), legs: z.array(Leg) });

/** Findings by HTTP. @param of a stack whose execution is real, with a path `one` between probes that have iperf3 and ping */
export function diagnosisRoute(of: () => Stack): void {
  describe('diagnosing a run', () => {
    let run: string;
    const document = async () => Run.parse(await must(of(), 'GET', run));
    const post = (path: string, body: unknown = {}, more: CallOptions = {}) =>
      of().call('POST', path, { body, ...more });
    const again = async (body: unknown) => {
      const answer = await post(`${run}/diagnosis`, body);
      expect(answer.status).toBe(200);
      return Rediagnosis.parse(answer.body);
    };

    beforeAll(async () => {
      const plan = {
        tests: [
          { kind: 'single-stream', durationS: 1, omitS: 0, windowBytes: 16_384 },
          { kind: 'rtt', count: 3 },
        ],
      };
      const { id } = await must(of(), 'POST', '/v1/runs', { plan, paths: ['one'] });
      run = `/v1/runs/${id}`;
      const end = performance.now() + 20_000;
      // Ends: with the run, or after 20 s.
      while (['queued', 'running'].includes((await document()).state)) {
        if (performance.now() > end) throw new Error('the run did not end');
        await sleep(50);
      }
    });

    test('an ended leg has its findings and says which rules made them', async () => {
      const [leg] = (await document()).legs;
      expect(leg?.diagnosis).toMatchObject({ ruleSet: RULE_SET });
      expect(leg?.diagnosis?.headline).not.toBe('');
      const findings = leg?.steps[0]?.findings ?? [];
      expect(findings.length).toBeGreaterThan(0);
      for (const { evidence, holds, text } of findings) {
        if (holds === 'yes') expect(text).toMatch(/\w/);
        for (const value of Object.values(evidence)) expect(Number.isFinite(value)).toBe(true);
      }
    });

    test('the same rules conclude the same from what is stored', async () => {
      const [leg] = (await document()).legs;
      const same = await again({});
      expect(same).toMatchObject({ stored: false, ruleSet: RULE_SET, legs: [{ leg: 0, path: 'one', changes: [] }] });
      expect(same.legs[0]?.findings).toEqual(leg?.steps.map(({ findings }) => findings));
      expect(same.legs[0]?.after).toEqual(leg?.diagnosis);
    });

    test('what older rules said is shown beside it, and replaced only with store', async () => {
      const id = run.slice('/v1/runs/'.length);
      await withDatabase(of().databaseUrl, async (db) => {
        await db.query(`UPDATE leg SET diagnosis = jsonb_set(diagnosis, '{ruleSet}', '"0"') WHERE run_id = $1`, [id]);
        await db.query(`UPDATE step SET findings = '[]' FROM leg WHERE leg.id = step.leg_id AND leg.run_id = $1`, [id]);
      });
      const shown = await again({ store: false });
      expect(shown.legs[0]?.before?.ruleSet).toBe('0');
      expect(shown.legs[0]?.changes.length).toBe(shown.legs[0]?.findings.flat().length);
      expect((await document()).legs[0]?.diagnosis?.ruleSet).toBe('0');
      await again({ store: true });
      const [leg] = (await document()).legs;
      expect(leg?.diagnosis?.ruleSet).toBe(RULE_SET);
      expect(leg?.steps.map(({ findings }) => findings)).toEqual(shown.legs[0]?.findings);
      expect(await again({ store: true })).toMatchObject({ stored: true, legs: [{ changes: [] }] });
    });

    test('advice follows from what is stored, and changes nothing', async () => {
      const advice = Advice.parse(await must(of(), 'GET', `${run}/legs/0/advice`));
      expect(advice).toMatchObject({ path: 'one', ruleSet: RULE_SET });
      expect(advice.hosts.map(({ end }) => end)).toEqual(['source', 'destination']);
      expect(advice.summary).not.toBe('');
      expect(Advice.parse(await must(of(), 'GET', `${run}/legs/0/advice`))).toEqual(advice);
      expect((await of().call('GET', `${run}/legs/1/advice`)).status).toBe(404);
      expect((await of().call('GET', `${run}/legs/x/advice`)).status).toBe(404);
    });

    test('a run that is not there is 404; another body is 422; a token that may only read is 403', async () => {
      expect((await post('/v1/runs/0190a0a0-0000-7000-8000-000000000000/diagnosis')).status).toBe(404);
      expect((await post(`${run}/diagnosis`, { store: 'yes' })).status).toBe(422);
      expect((await post(`${run}/diagnosis`, { keep: true })).status).toBe(422);
      const token = await addToken(of().databaseUrl, ['read']);
      expect((await post(`${run}/diagnosis`, {}, { token })).status).toBe(403);
    });
  });
}
