import { Effect } from "effect"
import { forbidden } from "../../calls/GuardedCalls.ts"
import { showsId } from "../../calls/Reading.ts"
import { idsOf, makeFrom, makePartsFor, type Parts, typesNamedIn } from "../../calls/Resources.ts"
import type * as Expect from "../../judgement/Expect.ts"
import { control, judgePair, walkPart } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { makeableTypesOf } from "../../profile/Groups.ts"
import { type Holder, holdersOf, lacking, may } from "../../profile/LimitedPrincipals.ts"
import type { DerivedRead } from "../../profile/Profile.ts"
import { fill, fillPath } from "../../profile/Template.ts"
import { at, equals } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"

/** Creates the subjects of all reads, and one resource of each further entity type that belongs to them. */
const makeSubjects = Effect.fnUntraced(function* (reads: ReadonlyArray<DerivedRead>) {
  const { profile } = yield* Session
  const named = yield* makePartsFor(typesNamedIn(...reads.flatMap(({ body, path }) => [path, body])))
  const parts: Record<string, Parts[string]> = { ...named }
  for (const entity of reads.flatMap(({ tellsOf }) => tellsOf)) {
    if (parts[entity] === undefined && makeableTypesOf(profile).includes(entity)) {
      parts[entity] = yield* makeFrom(entity, parts)
    }
  }
  return parts
})

const callOf = ({ body, method, path }: DerivedRead, parts: Parts): Call => {
  const ids = idsOf(parts)
  const filled = fillPath(path, Object.fromEntries(Object.entries(parts).map(([type, { id }]) => [type, id])))
  return { method, path: filled, ...(body === undefined ? {} : { json: fill(body, ids) }) }
}

/** The principals that may read every entity type of an answer but one. */
const allBut = (holders: ReadonlyArray<Holder>, { tellsOf }: DerivedRead, entity: string): ReadonlyArray<Holder> =>
  lacking(holders, entity, "READ").filter((holder) =>
    tellsOf.every((other) => other === entity || may(holder, other, "READ"))
  )

/**
 * Whether a principal without READ on an entity type still saw it. A refusal is correct, and so is an answer without
 * that entity. An answer discloses it if it equals the admin's, or shows the same resource.
 */
const told = (probe: Exchange, admin: Exchange, id: string | undefined): Expect.Met => {
  const [shown, known] = [probe, admin].map(({ answer }) => at(answer?.json, "data"))
  const isShown = (exchange: Exchange) => id !== undefined && showsId(exchange, id)
  const isLeftOut = isIn(probe, 2) && !equals(shown, known) && !(isShown(probe) && isShown(admin))
  return isLeftOut ? [] : forbidden(probe)
}

const judgeDerived = Effect.fnUntraced(function* (read: DerivedRead, parts: Parts) {
  const { profile, send } = yield* Session
  const asked = read.tellsOf
    .map((entity) => ({ entity, them: allBut(holdersOf(profile), read, entity) }))
    .filter(({ them }) => them.length > 0)
  const call = callOf(read, parts)
  const allowed = yield* control(send(call))
  for (const { entity, them } of asked) {
    const probe = yield* Effect.forEach(them, ({ name: as }) => send({ ...call, as }))
    const differences = probe.flatMap((one) => told(one, allowed.exchange, parts[entity]?.id))
    yield* judgePair("PRV-06", { control: allowed, probe }, differences)
  }
})

const derivedReads = walk({
  name: "privileges/derived-reads",
  judges: [],
  alsoJudges: ["PRV-06"],
  impact: "mutate-own",
  needs: ["limited tokens", "credential body"]
})(function* () {
  const { profile } = yield* Session
  const canMake = makeableTypesOf(profile)
  const reads = (profile.derivedReads ?? []).filter(
    (read) =>
      typesNamedIn(read.path, read.body).every((type) => canMake.includes(type)) &&
      read.tellsOf.some((entity) => allBut(holdersOf(profile), read, entity).length > 0)
  )
  if (reads.length === 0) return
  const parts = yield* makeSubjects(reads)
  for (const read of reads) yield* walkPart(["PRV-06"], judgeDerived(read, parts))
})

/** Answers that cover several entity types. */
export const derivedReadWalks: ReadonlyArray<Walk> = [derivedReads]
