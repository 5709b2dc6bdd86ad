import { Result } from "effect"
import type { Moment } from "../shared/CalendarDay.ts"
import { decodeArgument, InvalidArgument } from "../shared/InvalidArgument.ts"
import {
  at,
  type Draft,
  draftOf,
  equals,
  isObject,
  type JsonObject,
  type JsonValue,
  type Path
} from "../shared/Json.ts"
import { emailForm } from "../shared/Text.ts"
import { implausibleBirthDate } from "./BirthDate.ts"
import { apply } from "./MergePatch.ts"
import type { Fixed, Judged, Resource, Stored } from "./Resource.ts"
import { remarksOn } from "./UnknownFields.ts"

/** A decoded body: the fields to store, and warnings about ignored ones. */
export interface Written<Fields extends JsonObject> {
  readonly fields: Fields
  readonly warnings: ReadonlyArray<string>
}

/** PUT or PATCH. */
export type UpdateMethod = "replace" | "patch"

/** The context of an update for the rules of a group. */
export interface Update extends Moment {
  readonly method: UpdateMethod
  /** The number of open verifications. */
  readonly openCount: number
  /** The id of the resource, and the owners whom the caller does not reach. */
  readonly updated: Pick<Stored, "id" | "hidden">
}

/** Fields that must equal the stored value in every update. */
const identifying: ReadonlyArray<Path> = [["id"], ["type"]]

/** Fields that only the server sets, on every resource. */
const envelope: ReadonlyArray<Path> = [...identifying, ["createdAt"], ["updatedAt"], ["deletedAt"]]

/** Returns the body if it is an object. Fails otherwise, because documents and patches must be objects. */
export const requireObject = (body: JsonValue): Result.Result<JsonObject, InvalidArgument> =>
  isObject(body) ? Result.succeed(body) : Result.fail(new InvalidArgument({ field: "", reason: "must be an object" }))

/** Returns the body without null in fields that may be absent although the stored document has them. */
const withoutAbsent = (
  { computed, defaults }: Resource,
  sent: JsonObject,
  others: ReadonlyArray<Path> = []
): JsonObject => {
  const draft = draftOf(sent)
  for (const path of [...envelope, ...computed, ...defaults.map((each) => each.path), ...others]) {
    if (at(sent, path) === null) draft.put(path, undefined)
  }
  return draft.current()
}

const putDefaults = (resource: Resource, draft: Draft): void => {
  for (const { path, value } of resource.defaults) {
    if (at(draft.current(), path) === undefined && canHold(draft.current(), path)) draft.put(path, value)
  }
}

/**
 * Returns whether the path leads only through objects. Otherwise no default is set, and the decoder reports the wrong
 * type.
 */
const canHold = (document: JsonObject, path: Path): boolean =>
  path.slice(0, -1).every((_, index) => {
    const inner = at(document, path.slice(0, index + 1))
    return inner === undefined || isObject(inner)
  })

const understand = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  draft: Draft
): Result.Result<Written<Fields>, InvalidArgument> => {
  putDefaults(resource, draft)
  const document = draft.current()
  return Result.map(decodeArgument(resource.fields)(document), (fields) => ({
    fields,
    warnings: remarksOn(document, fields)
  }))
}

/** Returns the warning about a value of the body that is not stored. */
export const ignored = (path: Path): string => `set by the server, ignored: ${path.join(".")}`

/** POST: ignores fields that the server sets, the caller's `id` included (rule WRK-03). */
export const create = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  body: JsonValue
): Result.Result<Written<Fields>, InvalidArgument> =>
  Result.gen(function* () {
    const sent = withoutAbsent(resource, yield* requireObject(body))
    const given = [...envelope, ...resource.computed].filter((path) => at(sent, path) !== undefined)
    const draft = draftOf(sent)
    for (const path of given) draft.put(path, undefined)
    const { fields, warnings } = yield* understand(resource, draft)
    return { fields, warnings: [...given.map(ignored), ...warnings] }
  })

const implausible = ({ as }: Judged, text: string, today: string): string | undefined => {
  switch (as) {
    case "birthDate":
      return implausibleBirthDate(text, today)
    case "email":
      return emailForm.test(text) ? undefined : "must be an email address"
  }
}

/** Fails if a write sets or changes a text to one that is not plausible. `before` is absent for a create. */
export const judge = <Fields extends JsonObject>(
  { judged = [] }: Resource<Fields>,
  before: Fields | undefined,
  written: Written<Fields>,
  today: string
): Result.Result<Written<Fields>, InvalidArgument> => {
  for (const rule of judged) {
    const text = at(written.fields, rule.path)
    if (typeof text !== "string" || text === at(before, rule.path)) continue
    const reason = implausible(rule, text, today)
    if (reason !== undefined) return Result.fail(new InvalidArgument({ field: rule.path.join("."), reason }))
  }
  return Result.succeed(written)
}

const isCodeAt = ({ naming }: Resource, path: Path): boolean => naming.by === "code" && equals(naming.path, path)

const whyFixed = (resource: Resource, { advice, path }: Fixed): string => {
  if (isCodeAt(resource, path)) return "is the id and cannot be changed"
  return advice === undefined ? "cannot be changed" : `cannot be changed by an update: ${advice}`
}

const refusedChange = (resource: Resource, path: Path): InvalidArgument => {
  const fixed = resource.fixed.find((each) => each.path === path)
  return new InvalidArgument({
    field: path.join("."),
    reason: fixed === undefined ? "is set by the server and cannot be changed" : whyFixed(resource, fixed)
  })
}

/**
 * Removes `null`, because a merge patch cannot set it (RFC 7396, section 1). A stored `null` therefore equals an absent
 * value.
 */
const withoutNull = (value: JsonValue | undefined): JsonValue | undefined =>
  value === undefined || value === null ? undefined : apply(undefined, value)

/**
 * Returns the document that replaces a stored one. Server-set and fixed fields keep their stored values. In the body,
 * these fields must have the values that GET returns; PUT may also omit them. PUT ignores different times and computed
 * values: an earlier PUT of the same body may have changed them, and a retry must succeed (§4.2; ENV-16).
 */
const revise = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  stored: Stored<Fields>,
  shown: JsonObject,
  next: JsonObject,
  method: UpdateMethod
): Result.Result<Written<Fields>, InvalidArgument> => {
  const fixed = resource.fixed.map(({ path }) => path)
  const differing = [...envelope, ...resource.computed, ...fixed].filter(
    (path) =>
      (method === "patch" || at(next, path) !== undefined) &&
      !equals(withoutNull(at(next, path)), withoutNull(at(shown, path)))
  )
  const mayDiffer = (path: Path) => method === "replace" && !identifying.includes(path) && !fixed.includes(path)
  const refused = differing.find((path) => !mayDiffer(path))
  if (refused !== undefined) return Result.fail(refusedChange(resource, refused))
  const draft = draftOf(next)
  for (const path of envelope) draft.put(path, undefined)
  for (const path of [...resource.computed, ...fixed]) draft.put(path, at(stored.fields, path))
  return Result.map(understand(resource, draft), ({ fields, warnings }) => ({
    fields,
    warnings: [...differing.map(ignored), ...warnings]
  }))
}

/** PUT: replaces the document; absent fields are cleared (DECISIONS.md#resources). */
export const replace = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  stored: Stored<Fields>,
  shown: JsonObject,
  body: JsonValue
): Result.Result<Written<Fields>, InvalidArgument> =>
  Result.flatMap(requireObject(body), (next) => {
    const { naming } = resource
    // The path of the request has the code, so the body need not.
    const present = withoutAbsent(resource, next, naming.by === "code" ? [naming.path] : [])
    return revise(resource, stored, shown, present, "replace")
  })

/** PATCH: applies a JSON Merge Patch (RFC 7396) to the document of GET. */
export const patch = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  stored: Stored<Fields>,
  shown: JsonObject,
  body: JsonValue
): Result.Result<Written<Fields>, InvalidArgument> =>
  Result.flatMap(requireObject(body), (changes) =>
    revise(resource, stored, shown, apply(shown, changes) as JsonObject, "patch")
  )
