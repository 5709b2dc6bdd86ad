import { Context, Data, Result } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { writtenTag } from "./EntityTag.ts"

/** The condition of a call does not hold for the current state of the resource (RFC 9110, section 13). */
export class PreconditionFailed extends Data.TaggedError("PreconditionFailed")<{
  /** The present tag. */
  readonly current: string
}> {}

/** The tags of a condition, with their quotes. `*` means any state. */
export type Tags = "*" | ReadonlyArray<string>

/** The condition under which a call may write. Absent parts always hold. */
export interface Condition {
  /** `If-Match`: the resource has one of these tags. */
  readonly match?: Tags
  /** `If-None-Match`: the resource has none of these tags. */
  readonly noneMatch?: Tags
}

/**
 * The condition of the current call. Each write of one resource checks the condition in its decision, on the state that
 * the write replaces.
 */
export const Precondition = Context.Reference<Condition>("@wcs/domain/Precondition", { defaultValue: () => ({}) })

/** The next tag of a list, after empty members (RFC 9110, sections 5.6.1 and 8.8.3). */
const nextTag = /[\t ,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?:,|$)/y

/** Whether a condition is for any state. Only spaces and tabs may surround a value (RFC 9110, section 5.6.3). */
export const isAny = (text: string): boolean => /^[\t ]*\*[\t ]*$/.test(text)

/** Returns the tags of the header `name`. */
export const parseTags = (name: string, text: string): Result.Result<Tags, InvalidArgument> => {
  if (isAny(text)) return Result.succeed("*")
  const tags: Array<string> = []
  let end = 0
  nextTag.lastIndex = 0
  for (let found = nextTag.exec(text); found !== null; found = nextTag.exec(text)) {
    tags.push(found[1] ?? "")
    end = nextTag.lastIndex
  }
  return tags.length > 0 && /^[\t ,]*$/.test(text.slice(end))
    ? Result.succeed(tags)
    : Result.fail(new InvalidArgument({ field: name, reason: 'must be * or a list of entity tags such as "1-abc"' }))
}

const isWeak = (tag: string): boolean => tag.startsWith("W/")

/** `If-Match` compares strongly: a weak tag never matches (RFC 9110, section 13.1.1). */
const holdsMatch = (tags: Tags | undefined, current: string): boolean =>
  tags === undefined || tags === "*" || tags.some((tag) => !isWeak(tag) && tag === current)

/** Whether `If-None-Match` names the state. It compares weakly (RFC 9110, section 13.1.2). */
export const isNamed = (tags: Tags | undefined, current: string): boolean =>
  tags !== undefined && (tags === "*" || tags.some((tag) => tag.replace("W/", "") === current))

const writtenTags = (tags: Tags | undefined): Tags | undefined =>
  tags === undefined || tags === "*" ? tags : tags.map(writtenTag)

/** Fails unless the condition holds for the state with this tag. */
export const checkPrecondition = (
  condition: Condition,
  current: () => string
): Result.Result<void, PreconditionFailed> => {
  if (condition.match === undefined && condition.noneMatch === undefined) return Result.void
  const tag = current()
  const written = writtenTag(tag)
  return holdsMatch(writtenTags(condition.match), written) && !isNamed(writtenTags(condition.noneMatch), written)
    ? Result.void
    : Result.fail(new PreconditionFailed({ current: tag }))
}
