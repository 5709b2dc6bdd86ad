import { Clock, Context, Effect, Layer } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { makeHeldBy } from "../crud/HeldBy.ts"
import type { LinkNotFound } from "../crud/Links.ts"
import { makePast, ResourceHistory } from "../crud/ResourceHistory.ts"
import { readPast } from "../crud/ResourceReads.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { Credential, type CredentialView, documentOn } from "../holding/Credential.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { requireOnly } from "../resource/AsOf.ts"
import type { Reading, Restoring, Writing } from "../resource/Collection.ts"
import { readsOf } from "../resource/DerivedAnswer.ts"
import { makeIncluding } from "../resource/Include.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type Document, toDocument } from "../resource/Resource.ts"
import { makeComplying, parseResult } from "../screening/ComplyingWorkers.ts"
import { KeptComplianceStore } from "../screening/KeptComplianceStore.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { makeDuplicates } from "./Duplicates.ts"

/** A worker as GET returns it, with its credentials if requested. */
export type ReadWorker = WorkerFields & { readonly credentials?: ReadonlyArray<Document<CredentialView>> }

/**
 * The standard use cases for workers. `include=credentials` also needs READ of credentials, and `compliance` the
 * privileges of an evaluation that counts exemptions.
 */
export class Workers extends Context.Service<
  Workers,
  Reading<ReadWorker, Forbidden, Forbidden> & Writing<WorkerFields, never, LinkNotFound> & Restoring<WorkerFields>
>()("@wcs/domain/Workers") {}

/** The warning about a worker whose credentials are not all shown. */
export const moreHeld = (worker: string): string =>
  `${worker} holds more than ${ListQuery.maxPageSize} credentials: see /credentials?ownerType=worker&ownerId=${worker}`

const moreHeldThen = (worker: string): string =>
  `${worker} held more than ${ListQuery.maxPageSize} credentials: the oldest are shown`

export const make = Effect.gen(function* () {
  const { read, restorable } = yield* Resources
  const { list, read: get, ...writing } = restorable(Worker)
  const store = yield* ResourceStore
  const heldBy = makeHeldBy(store)
  const complying = makeComplying(store, yield* KeptComplianceStore)
  const rules = yield* PrivilegeRules

  const including = makeIncluding(rules, "credentials", "workerWithCredentials")

  const complyingPage = Effect.fnUntraced(function* (wanted: "PASS" | "FAIL", query: ListQuery.Query) {
    const { account, privileges, tenantId, timeZone } = yield* Caller
    yield* Effect.fromResult(rules.authorize(account, privileges, readsOf("evaluationWithExemptions")))
    const today = dayAt(yield* Clock.currentTimeMillis, timeZone)
    const selection = yield* Effect.fromResult(ListQuery.parse(Worker, query, today))
    const { items, ...page } = yield* complying(tenantId, selection, { result: wanted }, today)
    return { ...page, documents: items.map((worker) => toDocument(Worker, worker)), pageSize: selection.pageSize }
  })

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

  const readAsOf = Effect.fnUntraced(function* (id: string, { asOf = "", ...asked }: ListQuery.Query) {
    const { isIncluding, query } = yield* including(asked)
    yield* Effect.fromResult(requireOnly(query, ["includeDeleted"]))
    const then = yield* past(asOf, query)
    const document = yield* readPast(Worker, id, then)
    if (!isIncluding) return { text: JSON.stringify(document) }
    const { tenantId } = yield* Caller
    const held = (yield* then.reads.heldByEach(Credential, tenantId, [id], ListQuery.maxPageSize + 1)).get(id) ?? []
    const credentials = held
      .slice(0, ListQuery.maxPageSize)
      .map((credential) => documentOn(credential, then.moment.today))
    const warnings = held.length > ListQuery.maxPageSize ? [moreHeldThen(id)] : []
    return { text: JSON.stringify({ ...document, credentials }), warnings }
  })

  const duplicates = makeDuplicates(store, rules)

  return Workers.of({
    ...writing,
    create: Effect.fnUntraced(function* (body) {
      const created = yield* writing.create(body)
      const { document, warnings } = created
      return { ...created, warnings: [...warnings, ...(yield* duplicates.ofWorker(document.id, document))] }
    }),
    read: Effect.fnUntraced(function* (id, asked) {
      if (asked["asOf"] !== undefined) return yield* readAsOf(id, asked)
      const { isIncluding, query } = yield* including(asked)
      if (!isIncluding) return yield* get(id, query)
      const { document, warnings } = yield* withCredentials(yield* read(Worker, id, query))
      return { text: JSON.stringify(document), warnings }
    }),
    list: Effect.fnUntraced(function* ({ compliance, ...asked }) {
      const { isIncluding, query } = yield* including(asked)
      const wanted = yield* Effect.fromResult(parseResult("compliance", compliance))
      const page = wanted === undefined ? yield* list(query) : yield* complyingPage(wanted, query)
      if (!isIncluding) return page
      const shown = yield* Effect.forEach(page.documents, withCredentials)
      return {
        ...page,
        documents: shown.map(({ document }) => document),
        warnings: [...page.warnings, ...shown.flatMap(({ warnings }) => warnings)]
      }
    })
  })
})

export const layer = Layer.effect(Workers, make)
