#!/usr/bin/env node
// @ts-check
// Everything that a fresh clone needs, then one task: node tools/bootstrap.mjs start|test|test:full|check|bench|build.
// No dependencies. This file is read by any Node, however old, so that an old one gets a sentence instead of a stack.
var major = Number(process.versions.node.split('.')[0]);
if (major >= 20) {
  import('./bootstrap/main.mjs').then(({ main }) => main(process.argv.slice(2)));
} else {
  console.error(`Plumbline needs Node 20 or newer to start itself; this is Node ${process.versions.node}.`);
  console.error(
    'Install a newer one (Debian 13 or Ubuntu 25.04: sudo apt-get install nodejs npm; others: https://nodejs.org) and run this again.',
  );
  process.exitCode = 1;
}
