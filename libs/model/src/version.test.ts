import { expect, test } from 'vitest';
import { versionToInstall } from './version.js';

test.each([
  ['0.5.0', '0.4.9', undefined],
  ['0.5.0', '0.6.0', undefined],
  ['0.5.0', '0.5.7', undefined],
  ['0.5.0', '0.3.0', '0.5.0'],
  ['0.5.0', '0.7.0', '0.5.0'],
  ['0.5.0', '1.5.0', '0.5.0'],
  ['0.5.0', 'rubbish', '0.5.0'],
  ['0.5.0', '', '0.5.0'],
])('control plane %s with probe %s: install %s', (controlPlane, probe, install) => {
  expect(versionToInstall(controlPlane, probe)).toBe(install);
});
