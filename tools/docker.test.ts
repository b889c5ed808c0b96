import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from './bootstrap/places.mjs';

// There is no Docker engine where this is tested: what can be told by reading is told here.
const Service = z.object({
  image: z.string(),
  build: z.object({ context: z.literal('.'), dockerfile: z.string() }).optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  volumes: z.array(z.string()).default([]),
  networks: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
  ports: z.array(z.string()).default([]),
  healthcheck: z.unknown().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  cap_drop: z.array(z.string()).default([]),
  cap_add: z.array(z.string()).default([]),
});
type Service = z.output<typeof Service>;
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const compose = z
  .object({
    services: z.record(z.string(), Service),
    networks: z.record(z.string(), z.unknown()),
    volumes: z.record(z.string(), z.unknown()),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
const services = Object.entries(compose.services);

/** The Dockerfile of an image that is built here, also where a service only uses the image. */
const dockerfileOf = (service: Service): string | undefined =>
  services.map(([, other]) => other).find((other) => other.image === service.image && other.build)?.build?.dockerfile;

/** The script of ours that a service runs, as a file of the repository. */
function scriptOf(service: Service): string | undefined {
  const inContainer = service.entrypoint?.find((word) => word.endsWith('.sh'));
  if (inContainer !== undefined) return inContainer.replace('/scripts/', 'docker/').replace('/opt/plumbline/', '');
  const dockerfile = dockerfileOf(service);
  const entrypoint = dockerfile && /^ENTRYPOINT \["\/opt\/plumbline\/([^"]+)"\]$/m.exec(read(dockerfile))?.[1];
  return entrypoint || undefined;
}

describe.each(services)('the service %s', (_name, service) => {
  test('is built from a Dockerfile that is there, or comes from an image with a version', () => {
    const dockerfile = dockerfileOf(service);
    if (dockerfile === undefined) expect(service.image).toMatch(/^[a-z]+:\d+-bookworm$/);
    else expect(existsSync(join(root, dockerfile))).toBe(true);
  });

  test('runs a script that is there and may be executed', () => {
    const script = scriptOf(service);
    if (script === undefined) return expect(service.image).toMatch(/^postgres:/);
    accessSync(join(root, script), constants.X_OK);
    execFileSync('sh', ['-n', join(root, script)]);
  });

  test('sets what its script asks for', () => {
    const text = read(scriptOf(service) ?? '.dockerignore');
    const asked = [...text.matchAll(/\$\{([A-Z_]+):\?/g), ...text.matchAll(/"\$([A-Z]+_ADDRESS)/g)].map(
      ([, name]) => name,
    );
    expect(asked.filter((name) => name !== undefined && !(name in service.environment))).toEqual([]);
  });

  test('waits only for services that are there and that can be what it waits for', () => {
    for (const [other, { condition }] of Object.entries(service.depends_on)) {
      const target = compose.services[other];
      if (!target) throw new Error(`there is no service ${other}`);
      const dockerfile = dockerfileOf(target);
      const isChecked =
        target.healthcheck !== undefined || (dockerfile !== undefined && /^HEALTHCHECK /m.test(read(dockerfile)));
      if (condition === 'service_healthy') expect([other, isChecked]).toEqual([other, true]);
      else expect(condition).toBe('service_completed_successfully');
    }
  });

  test('uses volumes and networks that are declared, and folders that are there', () => {
    for (const volume of service.volumes) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('./')) expect(existsSync(join(root, source))).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {});
    for (const network of networks) expect(Object.keys(compose.networks)).toContain(network);
  });

  test('holds no secret and is published on loopback only', () => {
    for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const [name, value] of Object.entries(service.environment)) {
      if (/PASSWORD|TOKEN|SECRET/.test(name)) expect([name, value]).toEqual([name, expect.stringMatching(/^\//)]);
      expect(String(value)).not.toMatch(/:[^/@]+@/);
    }
  });
});

test('everything declared is used', () => {
  const used = new Set(services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(':')[0])));
  expect(Object.keys(compose.volumes).filter((volume) => !used.has(volume))).toEqual([]);
});

describe.each(['docker/Dockerfile.control-plane', 'docker/Dockerfile.probe'])('%s', (file) => {
  const lines = read(file).replace(/\\\n/g, ' ').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const starting = (word: string): string[] => last.filter((line) => line.startsWith(`${word} `));

  test('ends as an unprivileged user with a health check on a current Node', () => {
    expect(starting('USER')).toEqual(['USER plumbline']);
    expect(last.findIndex((line) => line.startsWith('USER'))).toBeLessThan(
      last.findIndex((line) => line.startsWith('ENTRYPOINT')),
    );
    expect(starting('HEALTHCHECK')).toHaveLength(1);
    for (const line of lines.filter((text) => text.startsWith('FROM ')))
      expect(line).toMatch(/^FROM node:24-bookworm-slim( AS build)?$/);
  });

  test('its health check is a program that Node can read', () => {
    const argv = z
      .array(z.string())
      .parse(JSON.parse(/CMD (\[.*\])/.exec(starting('HEALTHCHECK')[0] ?? '')?.[1] ?? ''));
    expect(argv.slice(0, 2)).toEqual(['node', '-e']);
    expect(() => new Function(argv[2] ?? '')).not.toThrow();
  });

  test('copies nothing that was made on the outside', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const pattern of ['.git', '.plumbline', '**/node_modules', '**/dist', '**/generated'])
      expect(ignored).toContain(pattern);
    // What git does not keep must not be in the context either.
    for (const pattern of read('.gitignore').split('\n').filter(Boolean)) {
      const covered = ignored.some(
        (line) => line.replace('**/', '') === pattern.replace(/^(apps|libs)\/.*\/generated$/, 'generated'),
      );
      expect([pattern, covered]).toEqual([pattern, true]);
    }
  });
});

// The commands that the scripts type are asked for their help: a renamed flag is told here, not in somebody's container.
const COMMANDS = ['control-plane', 'enrol', 'probe', 'register'].flatMap((script) => {
  const text = read(`docker/${script}.sh`)
    .replace(/\\\n/g, ' ')
    .replace(/^\s*#.*$/gm, '');
  return [...text.matchAll(/\bplumb ((?:[a-z]+ ?)+)([^|;&\n]*)/g)].map(([, words = '', rest = '']) => ({
    words: words
      .trim()
      .split(' ')
      .filter((word) => !['berlin', 'paris'].includes(word)),
    flags: [...new Set(rest.match(/--[a-z-]+/g) ?? [])],
  }));
});

describe.each(COMMANDS)('plumb $words', ({ words, flags }) => {
  test(`has ${flags.join(' ')}`, { timeout: 60_000 }, () => {
    const command = words.slice(0, ['up', 'probe'].includes(words[0] ?? '') && words.length === 1 ? 1 : 2);
    const help = execFileSync(process.execPath, [join(root, 'apps/cli/dist/main.js'), ...command, '--help'], {
      encoding: 'utf8',
    });
    expect(help).toContain(`plumb ${command.join(' ')}`);
    expect(flags.filter((flag) => !help.includes(`${flag} `) && !help.includes(`${flag}\n`))).toEqual([]);
  });
});

test('the scripts use the commands that a person would', () => {
  expect(COMMANDS.map(({ words }) => words.slice(0, 2).join(' '))).toEqual(
    expect.arrayContaining(['up', 'probe enrolment', 'probe enrol', 'probe', 'site add', 'probe add', 'path add']),
  );
});
