/**
 * Why a caller's signal fired, as the signal's reason. Both doors classify here and nowhere else, because their libraries
 * do not: on gRPC `cancelled` fires for a passed deadline too, and both fire once more when a call has ended well.
 */
export class CallerGone extends Error {
  readonly why: 'deadline' | 'hung-up';

  constructor(why: 'deadline' | 'hung-up') {
    super(why === 'deadline' ? "the caller's deadline has passed" : 'the caller hung up');
    this.name = 'CallerGone';
    this.why = why;
  }
}
