import { Array as Arr, Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { Caller, requireUnlimited } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules, readOf } from "../access/Privilege.ts"
import { actorOf, entryOf } from "../audit/AuditEntry.ts"
import { likenessesOf } from "../credential/Duplicates.ts"
import { LinkNotFound } from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Credential, type CredentialFields } from "../holding/Credential.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { columnValue, type Stored } from "../resource/Resource.ts"
import { createdAt, typeField } from "../resource/ShownFields.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { Ids, WorkerId } from "../shared/Id.ts"
import { CalendarDate, toRfc3339 } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import {
  DuplicateStore,
  type Group,
  type GroupKey,
  type Pair,
  type Place,
  pairOf,
  type Reason
} from "./DuplicateStore.ts"

/** The reasons in the order of the list. A pair is listed under the first that holds. */
export const reasons = ["EXTERNAL_ID", "NAME", "CARD"] as const satisfies ReadonlyArray<Reason>

/** The most groups of one read: their workers are one read. */
const groupsPerRead = 10

/** The most reads of groups of one page. Groups without a pair to show, such as of deleted workers, fill none. */
const readsPerPage = 20

/** Workers of one read of their credentials, and the credentials of each that are compared. */
const workersPerRead = 50
const cardsMax = 100

/** The common cards of a pair that are looked at. */
const commonMax = 5

/** Values of one read of their groups. */
const valuesPerRead = 50

const Person = Schema.Struct({
  id: WorkerId,
  displayName: Schema.String.annotate({ description: "`identity.displayName` of the worker." }),
  birthDate: Schema.NullOr(CalendarDate).annotate({
    description: "`identity.birthDate` of the worker. Null if absent."
  }),
  externalId: Schema.NullOr(Schema.String).annotate({
    description: "`source.externalId` of the worker. Null if absent."
  }),
  createdAt
})

/** Two workers who may be one person, as the API shows them. */
export const DuplicateDocument = Schema.Struct({
  type: typeField("duplicate"),
  reasons: Schema.Array(Schema.Literals(reasons)).annotate({
    description:
      "Why both may be the same person. EXTERNAL_ID: the same external id, and the same source system if both name one. " +
      "NAME: the same words of the name, and the same birth date. CARD: a card of the same type and number; only for " +
      "callers who may READ credentials."
  }),
  workers: Schema.Tuple([Person, Person]).annotate({ description: "The two workers, the older record first." })
})
export type DuplicateDocument = typeof DuplicateDocument.Type

/** The body of a dismissal. */
export const Dismissal = Schema.Struct({
  workers: Schema.Tuple([WorkerId, WorkerId]).annotate({ description: "The ids of two workers, in any order." })
})
export type Dismissal = typeof Dismissal.Type

/** A pair that was dismissed. */
export const DismissedDocument = Schema.Struct({
  type: typeField("duplicateDismissal"),
  workers: Schema.Tuple([WorkerId, WorkerId]).annotate({ description: "The two workers." })
})
export type DismissedDocument = typeof DismissedDocument.Type

/** Where a page continues: behind a pair of a group. */
interface Cursor {
  readonly reason: Reason
  readonly key: GroupKey
  readonly pair: Pair | undefined
}

const toText = ({ key, pair, reason }: Cursor): string =>
  ListQuery.toCursorText(["duplicate", reason, ...(pair ?? ["", ""]), ...key])

const parseCursor = (text: string | undefined): Result.Result<Cursor | undefined, InvalidArgument> => {
  if (text === undefined) return Result.succeed(undefined)
  const [type, reason, one, other, ...key] = ListQuery.fromCursorText(text)
  const known = reasons.find((each) => each === reason)
  const texts = [one, other, ...key].filter((value) => typeof value === "string")
  if (type !== "duplicate" || known === undefined || key.length === 0 || texts.length !== key.length + 2) {
    return ListQuery.foreignCursor
  }
  const [first = "", second = "", ...values] = texts
  return Result.succeed({ reason: known, key: values, pair: first === "" ? undefined : [first, second] })
}

/** The workers of a read, and the dismissed pairs. */
interface Known {
  readonly workers: ReadonlyMap<string, Stored<WorkerFields>>
  readonly dismissed: ReadonlySet<string>
}

const nameOf = (pair: Pair): string => pair.join(" ")

/**
 * Returns the pairs of a group in order. A pair is left out if the reason does not hold for these two, for example because
 * their ids are of different systems.
 */
export const pairsOf = (
  reason: Reason,
  { workers: ids }: Pick<Group, "workers">,
  { dismissed, workers }: Known
): ReadonlyArray<Pair> =>
  ids.flatMap((one, index) =>
    ids.slice(index + 1).flatMap((other) => {
      const pair = pairOf(one, other)
      const [a, b] = [workers.get(one), workers.get(other)]
      if (a === undefined || b === undefined || !isVisible(a, false) || !isVisible(b, false)) return []
      if (dismissed.has(nameOf(pair))) return []
      return reason === "CARD" || likenessesOf(a.fields, b.fields).includes(reason) ? [pair] : []
    })
  )

/** The columns of workers that have the keys of a reason. */
const columns: Readonly<Record<Exclude<Reason, "CARD">, string>> = { EXTERNAL_ID: "external_id", NAME: "name_key" }

/** The keys of the cards of a worker: number and type. */
type Cards = ReadonlySet<string>

const cardName = ([value = "", kind = ""]: GroupKey): string => `${value}\0${kind}`

const cardNamesOf = (credentials: ReadonlyArray<Stored<CredentialFields>>): Cards =>
  new Set(
    credentials.flatMap(({ fields }) => {
      const value = columnValue(Credential, "identifier", fields)
      return value === "" ? [] : [cardName([value, fields.attributes.credentialType])]
    })
  )

/** Returns the first cards that two workers both have, in the order of their names. */
const commonCards = (one: Cards = new Set(), other: Cards = new Set()): ReadonlyArray<string> =>
  [...one]
    .filter((name) => other.has(name))
    .sort()
    .slice(0, commonMax)

const personOf = ({ createdAt, fields: { identity, source }, id }: Stored<WorkerFields>) => ({
  id,
  displayName: identity.displayName,
  birthDate: identity.birthDate ?? null,
  externalId: source?.externalId ?? null,
  createdAt: toRfc3339(createdAt)
})

/** Workers who may be one person (DECISIONS.md#duplicates). */
export class DuplicatePairs extends Context.Service<
  DuplicatePairs,
  {
    /** GET of a page of pairs that were not dismissed, by reason. A page can have fewer than `pageSize`. */
    readonly list: (
      query: ListQuery.Query
    ) => Effect.Effect<ShownPage<DuplicateDocument>, InvalidArgument | Forbidden, Caller>
    /** Keeps that two workers are not the same person. Repeating it changes nothing. */
    readonly dismiss: (
      dismissal: Dismissal
    ) => Effect.Effect<DismissedDocument, InvalidArgument | LinkNotFound | Forbidden, Caller | RequestId>
  }
>()("@wcs/domain/DuplicatePairs") {}

export const make = Effect.gen(function* () {
  const store = yield* DuplicateStore
  const resources = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const ids = yield* Ids

  const knownOf = Effect.fnUntraced(function* (tenantId: string, groups: ReadonlyArray<Group>) {
    const people = [...new Set(groups.flatMap(({ workers }) => workers))]
    const dismissed = yield* store.dismissed(tenantId, people)
    return {
      workers: yield* resources.findAll(Worker, tenantId, people),
      dismissed: new Set(dismissed.map(nameOf))
    } satisfies Known
  })

  const cardsOf = Effect.fnUntraced(function* (tenantId: string, pairs: ReadonlyArray<Pair>) {
    const people = [...new Set(pairs.flat())]
    const cards = new Map<string, Cards>()
    for (const some of Arr.chunksOf(people, workersPerRead)) {
      const held = yield* resources.heldByEach(Credential, tenantId, some, cardsMax)
      for (const [id, credentials] of held) {
        cards.set(id, cardNamesOf(credentials))
        yield* Effect.yieldNow // the numbers of one worker are a step
      }
    }
    return cards
  })

  /** The names of the pairs that the list has under each of these values. */
  const listedUnder = Effect.fnUntraced(function* (tenantId: string, reason: Reason, values: ReadonlyArray<string>) {
    const listed = new Map<string, ReadonlySet<string>>()
    for (const some of Arr.chunksOf([...new Set(values)], valuesPerRead)) {
      for (const { key, workers } of yield* store.groupsOf(tenantId, reason, some)) {
        listed.set(cardName(key), new Set(workers))
      }
    }
    return (key: GroupKey, pair: Pair): boolean => {
      const workers = listed.get(cardName(key))
      return workers !== undefined && pair.every((id) => workers.has(id))
    }
  })

  /**
   * Returns the pairs of some groups, without those that the list has under an earlier reason, or under the first card that
   * both have. Of more than `groupMax` workers with one key some are not compared: their pairs are still to be listed.
   */
  const shownOf = Effect.fnUntraced(function* (
    tenantId: string,
    reason: Reason,
    groups: ReadonlyArray<Group>,
    known: Known,
    earlier: ReadonlyArray<Reason>
  ) {
    let pairs = groups.flatMap((group) => pairsOf(reason, group, known).map((pair) => ({ key: group.key, pair })))
    for (const other of earlier) {
      if (other === "CARD") continue
      const keyOf = ([one]: Pair): string => columnValue(Worker, columns[other], known.workers.get(one)?.fields ?? {})
      const isAlike = ([one, two]: Pair): boolean => {
        const [a, b] = [known.workers.get(one), known.workers.get(two)]
        return a !== undefined && b !== undefined && likenessesOf(a.fields, b.fields).includes(other)
      }
      const alike = pairs.filter(({ pair }) => isAlike(pair))
      const isListed = yield* listedUnder(
        tenantId,
        other,
        alike.map(({ pair }) => keyOf(pair))
      )
      pairs = pairs.filter(({ pair }) => !isAlike(pair) || !isListed([keyOf(pair)], pair))
    }
    if (reason !== "CARD" || pairs.length === 0) return pairs
    const cards = yield* cardsOf(
      tenantId,
      pairs.map(({ pair }) => pair)
    )
    const commonOf = ([one, other]: Pair) =>
      commonCards(cards.get(one), cards.get(other)).map((name) => name.split("\0"))
    const isListed = yield* listedUnder(
      tenantId,
      reason,
      pairs.flatMap(({ pair }) => commonOf(pair).flatMap(([value = ""]) => value))
    )
    return pairs.filter(({ key, pair }) => {
      const first = commonOf(pair).find((common) => isListed(common, pair))
      return first === undefined || cardName(first) === cardName(key)
    })
  })

  /** The next pairs behind a cursor, and where they continue; null at the end. */
  const read = Effect.fnUntraced(function* (
    tenantId: string,
    listed: ReadonlyArray<Reason>,
    cursor: Cursor | undefined,
    pageSize: number
  ) {
    const found: Array<{ readonly reason: Reason; readonly pair: Pair }> = []
    const workers = new Map<string, Stored<WorkerFields>>()
    let after = cursor
    let reads = 0
    for (const reason of listed.slice(Math.max(0, listed.indexOf(cursor?.reason ?? reasons[0])))) {
      const earlier = listed.slice(0, listed.indexOf(reason))
      for (let isMore = true; isMore; reads++) {
        if (reads === readsPerPage) return { found, workers, next: after ?? null }
        const begun = after?.reason === reason ? after : undefined
        const place: Place | undefined =
          begun === undefined ? undefined : { key: begun.key, isIncluded: begun.pair !== undefined }
        const { groups, next } = yield* store.groups(tenantId, reason, place, groupsPerRead)
        // A number can have cards of many types, so there can be more groups than were asked for.
        for (const some of Arr.chunksOf(groups, groupsPerRead)) {
          const known = yield* knownOf(tenantId, some)
          const pairs = yield* shownOf(tenantId, reason, some, known, earlier)
          for (const group of some) {
            const shown =
              begun?.pair !== undefined && cardName(begun.key) === cardName(group.key) ? begun.pair : undefined
            for (const { key, pair } of pairs) {
              if (key !== group.key || (shown !== undefined && nameOf(pair) <= nameOf(shown))) continue
              if (found.length === pageSize) return { found, workers, next: after ?? null }
              found.push({ reason, pair })
              for (const id of pair) {
                const worker = known.workers.get(id)
                if (worker !== undefined) workers.set(id, worker)
              }
              after = { reason, key: group.key, pair }
            }
            after = { reason, key: group.key, pair: undefined }
          }
        }
        if (next !== null) after = { reason, key: next.key, pair: undefined }
        isMore = next !== null
      }
    }
    return { found, workers, next: null }
  })

  return DuplicatePairs.of({
    list: Effect.fn("DuplicatePairs.list")(function* (query) {
      yield* requireUnlimited("READ")
      const { account, privileges, tenantId } = yield* Caller
      const given = yield* Effect.fromResult(ListQuery.singles(["pageSize", "cursor", "reason"], query))
      const pageSize = yield* Effect.fromResult(ListQuery.parsePageSize(given.get("pageSize")))
      const cursor = yield* Effect.fromResult(parseCursor(given.get("cursor")))
      const asked = given.get("reason")
      if (asked !== undefined) yield* Effect.fromResult(ListQuery.among("reason", reasons, asked))
      const mayReadCards = Result.isSuccess(rules.authorize(account, privileges, [readOf("credential")]))
      const visible = reasons.filter((reason) => reason !== "CARD" || mayReadCards)
      const listed = visible.filter((reason) => asked === undefined || reason === asked)
      if (cursor !== undefined && !listed.some((reason) => reason === cursor.reason)) {
        return yield* Effect.fromResult(ListQuery.foreignCursor)
      }
      const { found, next, workers } = yield* read(tenantId, listed, cursor, pageSize)
      const pairs = found.map(({ pair }) => pair)
      const cards = mayReadCards ? yield* cardsOf(tenantId, pairs) : new Map<string, Cards>()
      const isOfOneCard = ([one, other]: Pair) => commonCards(cards.get(one), cards.get(other)).length > 0
      return {
        documents: found.flatMap(({ pair, reason }): ReadonlyArray<DuplicateDocument> => {
          const [one, other] = [workers.get(pair[0]), workers.get(pair[1])]
          if (one === undefined || other === undefined) return []
          const alike: ReadonlyArray<Reason> = likenessesOf(one.fields, other.fields)
          const holds = (each: Reason) =>
            each === reason || alike.includes(each) || (each === "CARD" && isOfOneCard(pair))
          const [older, newer] = other.createdAt < one.createdAt ? [other, one] : [one, other]
          return [{ type: "duplicate", reasons: reasons.filter(holds), workers: [personOf(older), personOf(newer)] }]
        }),
        pageSize,
        nextCursor: next === null ? null : toText(next),
        total: undefined,
        warnings: []
      }
    }),

    dismiss: Effect.fn("DuplicatePairs.dismiss")(function* ({ workers: [one, other] }) {
      yield* requireUnlimited("UPDATE")
      const caller = yield* Caller
      if (one === other) return yield* new InvalidArgument({ field: "workers", reason: "must be two workers" })
      const pair = pairOf(one, other)
      const actor = actorOf(caller, yield* RequestId)
      const now = yield* Clock.currentTimeMillis
      const auditId = ids.source("audit")
      yield* store.dismiss(
        caller.tenantId,
        pair,
        ({ isDismissed, present }): Result.Result<ReturnType<typeof entryOf> | null, LinkNotFound> => {
          const missing = [one, other].findIndex((id) => !present[pair.indexOf(id)])
          if (missing !== -1) {
            const field = `workers.${missing}`
            return Result.fail(new LinkNotFound({ field, entityType: "worker", found: "none" }))
          }
          if (isDismissed) return Result.succeed(null)
          const entry = entryOf(
            auditId(),
            actor,
            { operation: "UPDATE", action: "not a duplicate", entityType: "worker", entityId: pair[0] },
            now
          )
          const slots = (worker: string) => ({ worker, applicant: null })
          return Result.succeed({ ...entry, ownership: { before: slots(pair[0]), after: slots(pair[1]) } })
        }
      )
      return { type: "duplicateDismissal", workers: [one, other] }
    })
  })
})

export const layer = Layer.effect(DuplicatePairs, make)
