import type { SettingChange } from '@plumbline/model';

/** Where the file of a path belongs: late in the order of sysctl.d(5), one a path. */
export const filePath = (path: string): string => `/etc/sysctl.d/90-plumbline-${path}.conf`;

/** The whole file: each change with its reason, in the syntax of sysctl.d(5). */
export function fileText(path: string, changes: readonly SettingChange[]): string {
  const lines = changes.flatMap(({ key, current, proposed, why }) => [
    '',
    ...commented(why),
    `# Before: ${oneLine(current)}`,
    `${key} = ${oneLine(proposed)}`,
  ]);
  return [
    `# By Plumbline, for the path ${oneLine(path)}.`,
    '# New connections only: those that are open keep what they have.',
    ...lines,
    '',
  ].join('\n');
}

const commented = (text: string): string[] =>
  oneLine(text)
    .match(/.{1,100}(?:\s|$)/g)
    ?.map((line) => `# ${line.trim()}`) ?? [];
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Takes the file away and gives each key the value that it had. */
export const undoCommands = (path: string, changes: readonly SettingChange[]): string[] => [
  `rm -f ${filePath(path)}`,
  ...changes.map(({ key, current }) => `sysctl -w ${key}='${oneLine(current)}'`),
];
