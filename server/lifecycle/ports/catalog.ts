/** The tools as they are declared. Implemented by catalog. */
import type { Tool } from '../../domain/tool.ts';

/** The tools as they are declared now. */
export interface ToolCatalog {
  find(name: string): Tool | undefined;
  names(): readonly string[];
  /** The names of the endpoints. */
  endpoints(): readonly string[];
  /** Whether that endpoint is declared to answer probes. */
  answersProbes(endpoint: string): boolean;
}
