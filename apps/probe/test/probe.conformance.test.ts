import { probeConformance } from '@plumbline/testing';
import { SpawnedProbe } from './spawned-probe.js';

probeConformance('the real probe', async () => {
  const probe = new SpawnedProbe();
  await probe.start();
  return probe;
});
