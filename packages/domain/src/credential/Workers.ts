import { Clock, Context, Effect, Layer } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { makeHeldBy } from "../crud/HeldBy.ts"
import { makePast, ResourceHistory } from "../crud/ResourceHistory.ts"
import { readPast } from "../crud/ResourceReads.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { Credential, type CredentialView, documentOn } from "../holding/Credential.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { requireOnly } from "../resource/AsOf.ts"
import type { Reading, Restoring, Writing } from "../resource/Collection.ts"
import { makeIncluding } from "../resource/Include.ts"
import { maxPageSize, type Query } from "../resource/ListQuery.ts"
import type { Document } from "../resource/Resource.ts"
import { dayAt } from "../shared/CalendarDay.ts"

/** A worker as GET returns it, with its credentials if requested. */
export type ReadWorker = WorkerFields & { readonly credentials?: ReadonlyArray<Document<CredentialView>> }

/** The standard use cases for workers. `include=credentials` also needs READ of credentials. */
export class Workers extends Context.Service<
  Workers,
  Reading<ReadWorker, Forbidden, Forbidden> & Writing<WorkerFields> & Restoring<WorkerFields>
>()("@wcs/domain/Workers") {}

/** The warning about a worker whose credentials are not all shown. */
export const moreHeld = (worker: string): string =>
  `${worker} holds more than ${maxPageSize} credentials: see /credentials?ownerType=worker&ownerId=${worker}`

const moreHeldThen = (worker: string): string =>
  `${worker} held more than ${maxPageSize} credentials: the oldest are shown`

export const make = Effect.gen(function* () {
  const { read, restorable } = yield* Resources
  const { list, read: get, ...writing } = restorable(Worker)
  const heldBy = makeHeldBy(yield* ResourceStore)

  const including = makeIncluding(yield* PrivilegeRules, "credentials", "workerWithCredentials")

  const withCredentials = Effect.fnUntraced(function* (document: Document<WorkerFields>) {
    const { tenantId, timeZone } = yield* Caller
    const today = dayAt(yield* Clock.currentTimeMillis, timeZone)
    const { items, nextCursor } = yield* heldBy(Credential, tenantId, document.id)
    return {
      document: { ...document, credentials: items.map((credential) => documentOn(credential, today)) },
      warnings: nextCursor === null ? [] : [moreHeld(document.id)]
    }
  })

  const past = makePast(yield* ResourceHistory)

  const readAsOf = Effect.fnUntraced(function* (id: string, { asOf = "", ...asked }: Query) {
    const { isIncluding, query } = yield* including(asked)
    yield* Effect.fromResult(requireOnly(query, ["includeDeleted"]))
    const then = yield* past(asOf, query)
    const document = yield* readPast(Worker, id, then)
    if (!isIncluding) return { text: JSON.stringify(document) }
    const { tenantId } = yield* Caller
    const held = (yield* then.reads.heldByEach(Credential, tenantId, [id], maxPageSize + 1)).get(id) ?? []
    const credentials = held.slice(0, maxPageSize).map((credential) => documentOn(credential, then.moment.today))
    const warnings = held.length > maxPageSize ? [moreHeldThen(id)] : []
    return { text: JSON.stringify({ ...document, credentials }), warnings }
  })

  return Workers.of({
    ...writing,
    read: Effect.fnUntraced(function* (id, asked) {
      if (asked["asOf"] !== undefined) return yield* readAsOf(id, asked)
      const { isIncluding, query } = yield* including(asked)
      if (!isIncluding) return yield* get(id, query)
      const { document, warnings } = yield* withCredentials(yield* read(Worker, id, query))
      return { text: JSON.stringify(document), warnings }
    }),
    list: Effect.fnUntraced(function* (asked) {
      const { isIncluding, query } = yield* including(asked)
      const page = yield* list(query)
      if (!isIncluding) return page
      const shown = yield* Effect.forEach(page.documents, withCredentials)
      return {
        ...page,
        documents: shown.map(({ document }) => document),
        warnings: shown.flatMap(({ warnings }) => warnings)
      }
    })
  })
})

export const layer: Layer.Layer<Workers, never, Resources | ResourceStore | ResourceHistory | PrivilegeRules> =
  Layer.effect(Workers, make)
