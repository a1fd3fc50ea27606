/** For whoever runs the checks from a program of their own, a test for one. */
export { type Output, runEndpointCheck } from './program.ts';
