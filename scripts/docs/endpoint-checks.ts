/** The parts of docs/endpoint-check.md, from the tables that the command itself is made of. */
import { checks } from '../../clients/endpoint-check/src/checks/all.ts';
import { options } from '../../clients/endpoint-check/src/settings/options.ts';

/** A section for each check, in the order in which they run. */
export function sectionsOfChecks(): string {
  return checks
    .map(({ id, sends, expects, why, mend, needs, with: option }) => {
      const rows = [
        ['sends', sends],
        ['expects', expects],
        ['why', why],
        ['to mend it', mend],
        ...(option === undefined ? [] : [['only with', codeSpans(option)]]),
        ...(needs.length === 0
          ? []
          : [['left out when it fails', needs.map((need) => `[${need}](#${need})`).join(', ')]]),
      ];
      return [`### ${id}`, '', '| | |', '| --- | --- |', ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
    })
    .join('\n\n');
}

export function tableOfCheckOptions(): string {
  const rows = Object.entries(options).map(([name, { value, description, default: fallback }]) => {
    const flags = value === undefined ? `--${name}` : `--${name} <${value}>`;
    return `| \`${escaped(flags)}\` | ${fallback ? `\`${fallback}\`` : ''} | ${description} |`;
  });
  return ['| option | default | |', '| --- | --- | --- |', ...rows].join('\n');
}

function codeSpans(text: string): string {
  return text.replace(/--[a-z-]+/g, '`$&`');
}

/** A bar would end the cell, in a code span too. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
