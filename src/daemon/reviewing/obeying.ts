import type { PullRequest, PullRequestComment, PullRequests } from '../../forge/pull-requests.ts';
import type { Log } from '../../platform/log.ts';
import { countOf, shortCommit } from '../../review/words.ts';
import type { Answers } from './answers.ts';
import { type CommentCommand, commandsIn } from './commands.ts';
import type { Approval, Approved } from './reviewed-plans.ts';

/** What commands in comments are carried out with. */
export interface ObeyingWorld {
  readonly pullRequests: Pick<PullRequests, 'comments' | 'mayWrite'>;
  /** Names the forge and its repository. */
  readonly forge: string;
  readonly answers: Answers;
  /** The destinations that there are. */
  readonly destinations: readonly string[];
  readonly approve: (approval: Approval) => Approved;
  /** Has the destinations read again, between deliveries. */
  readonly readAgain: () => void;
  readonly log: Log;
}

/**
 * Carries out what people who may write ask for in comments, and answers everybody who asks. `first` is from when on
 * comments count on a pull request that was never seen before, in milliseconds since 1970. Gives whether a new review was
 * asked for. Throws Failure where the forge could not be asked; what was not carried out then is the next time.
 */
export async function obey(
  world: ObeyingWorld,
  pullRequest: PullRequest,
  first: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { pullRequests, forge, answers } = world;
  const { number } = pullRequest;
  let asked = false;
  const since = answers.since(forge, number, first);
  for (const comment of await pullRequests.comments(number, since, signal)) {
    if (answers.isDone(forge, number, comment)) continue;
    const commands = commandsIn(comment.body);
    if (commands.length > 0) {
      const mayWrite = await pullRequests.mayWrite(comment.author, signal);
      for (const command of commands) {
        const said = mayWrite ? carriedOut(world, pullRequest, comment, command) : refused(world, pullRequest, comment);
        asked ||= mayWrite;
        answers.keep(forge, number, { id: comment.id, by: comment.author, command: written(command), said });
      }
    }
    answers.looked(forge, number, comment);
  }
  return asked;
}

function refused({ log }: ObeyingWorld, { number }: PullRequest, { author }: PullRequestComment): string {
  const fields = { pullRequest: number, by: author };
  log.warn(fields, 'a command in a comment is of a person who may not write, and is not carried out');
  return 'refused, since that takes the right to write to this repository';
}

function carriedOut(
  world: ObeyingWorld,
  pullRequest: PullRequest,
  { author, at }: PullRequestComment,
  command: CommentCommand,
): string {
  const fields = { pullRequest: pullRequest.number, by: author };
  switch (command.command) {
    case 'plan':
      world.readAgain();
      world.log.info(fields, 'a new plan was asked for in a comment');
      return 'the destinations were asked for anew, and the review was renewed';
    case 'approve':
      return approved(world, pullRequest, { by: author, at, destination: command.destination });
  }
}

function approved(
  { approve, destinations, forge, log }: ObeyingWorld,
  { number, head }: PullRequest,
  given: Pick<Approval, 'by' | 'at' | 'destination'>,
): string {
  const { destination, by } = given;
  const fields = { pullRequest: number, by, destination };
  const refuse = (why: string) => {
    log.warn({ ...fields, why }, 'a plan was not approved');
    return `not approved: ${why}`;
  };
  if (!destinations.includes(destination)) return refuse(`there is no destination ${destination}`);
  const result = approve({ ...given, forge, number, head });
  switch (result.outcome) {
    case 'approved': {
      log.info(fields, 'a plan was approved in a comment');
      const changes = countOf(result.changes, 'change');
      return `approved for ${destination}: ${changes}, as the review of ${shortCommit(head)} shows; another plan needs another approval`;
    }
    case 'no-plan':
      return refuse(`there is no plan for ${destination} to approve`);
    case 'not-reviewed':
      return refuse(`${shortCommit(head)} was not reviewed then; look at its plan, and approve that`);
    case 'changed':
      return refuse('the plan was renewed after that was written; look at it, and approve it again');
  }
}

function written(command: CommentCommand): string {
  return command.command === 'plan' ? '/konverge plan' : `/konverge approve ${command.destination}`;
}
