/**
 * What can be set, in one table: on the command line as `--name`, in a file for `--config` as `name:`, and in the documents. What
 * stands on the command line goes before what stands in the file.
 */
export interface Option {
  /** What follows it on the command line; none for a switch. */
  readonly value?: string;
  readonly description: string;
  /** Several may be given: on the command line by saying it again, in a file as a list. */
  readonly many?: boolean;
  readonly default?: string;
}

export type OptionName =
  | 'transport'
  | 'tool'
  | 'args'
  | 'refused-args'
  | 'read'
  | 'read-args'
  | 'count-read'
  | 'count-args'
  | 'count-pointer'
  | 'first-number'
  | 'signing-secret-env'
  | 'signing-secret-file'
  | 'bearer-env'
  | 'bearer-file'
  | 'probe'
  | 'tenant'
  | 'scope'
  | 'user'
  | 'at-once'
  | 'timeout-seconds'
  | 'max-response-bytes'
  | 'only'
  | 'skip';

export const options: Readonly<Record<OptionName, Option>> = {
  transport: { value: 'json|connect|grpc', description: 'how the catalog declares the endpoint', default: 'json' },
  tool: { value: 'name', description: 'a write that may be made for trying; required' },
  args: {
    value: 'json',
    description:
      'its arguments, as a template with {{number}} or {{fresh}} in it; or, given several times, one for each write that is made; required',
    many: true,
  },
  'refused-args': { value: 'json', description: 'arguments of the same write that the endpoint refuses' },
  read: { value: 'name', description: 'a read' },
  'read-args': { value: 'json', description: 'its arguments', default: '{}' },
  'count-read': { value: 'name', description: 'a read whose answer counts the writes: each adds 1 to it' },
  'count-args': { value: 'json', description: 'its arguments', default: '{}' },
  'count-pointer': {
    value: 'pointer',
    description: 'where in its answer the number or list is, as JSON Pointer; the whole answer if left out',
    default: '',
  },
  'first-number': {
    value: 'n',
    description: 'what {{number}} begins with; counts up by 1 for each write',
    default: '1',
  },
  'signing-secret-env': {
    value: 'name',
    description:
      'the variable with what calls are signed with: one whsec_…, or two with a space between, each of which must do',
  },
  'signing-secret-file': { value: 'path', description: 'the file with it' },
  'bearer-env': { value: 'name', description: 'the variable with the bearer token' },
  'bearer-file': { value: 'path', description: 'the file with it' },
  probe: { description: 'the endpoint answers probes: check that they are true' },
  tenant: { value: 'id', description: 'the tenant on whose behalf', default: 'endpoint-check' },
  scope: { value: 'scope', description: 'the scope on whose behalf', default: '' },
  user: { value: 'id', description: 'the user on whose behalf', default: '' },
  'at-once': { value: 'n', description: 'how many calls with one key go out at once', default: '8' },
  'timeout-seconds': {
    value: 'n',
    description: 'how long an answer may take, and the deadline of a call',
    default: '20',
  },
  'max-response-bytes': { value: 'n', description: "the catalog's cap on an answer", default: '262144' },
  only: { value: 'ids', description: 'only these checks, with commas between', many: true },
  skip: { value: 'ids', description: 'all checks but these, with commas between', many: true },
};

/** What was given, by the names of the options; not looked at yet. */
export type Given = Readonly<Partial<Record<OptionName | 'url', unknown>>>;

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(options, name);
}
