import { Clock, Context, Effect, Layer, Result } from "effect"
import { Caller } from "./Caller.ts"
import type { Reading, Writing } from "./Collection.ts"
import { Credential, type CredentialView, documentOn } from "./Credential.ts"
import { readsOf } from "./DerivedAnswer.ts"
import { makeHeldBy } from "./Holdings.ts"
import { InvalidArgument } from "./InvalidArgument.ts"
import { maxPageSize, type Query, repeated } from "./ListQuery.ts"
import { type Forbidden, PrivilegeRules } from "./Privilege.ts"
import type { Document } from "./Resource.ts"
import { ResourceStore } from "./ResourceStore.ts"
import { plain, Resources } from "./Resources.ts"
import { dayAt } from "./Verification.ts"
import { Worker, type WorkerFields } from "./Worker.ts"

/** A worker as it is read: with the credentials that it holds, where these are asked for. */
export type ReadWorker = WorkerFields & { readonly credentials?: ReadonlyArray<Document<CredentialView>> }

/** Workers: as every group, and read with `include=credentials` if one may read credentials too. */
export class Workers extends Context.Service<
  Workers,
  Reading<ReadWorker, Forbidden, Forbidden> & Writing<WorkerFields>
>()("@wcs/domain/Workers") {}

/** Whether credentials are asked for, and what else is. */
const parseInclude = ({
  include,
  ...query
}: Query): Result.Result<{ readonly isIncluding: boolean; readonly query: Query }, InvalidArgument> => {
  if (include === undefined || include === "credentials") {
    return Result.succeed({ isIncluding: include !== undefined, query })
  }
  const reason = typeof include === "string" ? "must be credentials" : repeated
  return Result.fail(new InvalidArgument({ field: "include", reason }))
}

const moreHeld = (worker: string): string =>
  `${worker} holds more than ${maxPageSize} credentials: see /credentials?ownerType=worker&ownerId=${worker}`

export const make = Effect.gen(function* () {
  const { list, read, ...writing } = (yield* Resources).collection(Worker, plain(Worker))
  const heldBy = makeHeldBy(yield* ResourceStore)
  const rules = yield* PrivilegeRules

  /** What is shown of credentials asks for their own privilege (section 5.2, item 7), before anything is looked up. */
  const including = Effect.fnUntraced(function* (asked: Query) {
    const parsed = yield* Effect.fromResult(parseInclude(asked))
    const { account, privileges } = yield* Caller
    const needed = parsed.isIncluding ? readsOf("workerWithCredentials") : []
    yield* Effect.fromResult(rules.authorize(account, privileges, needed))
    return parsed
  })

  const withCredentials = Effect.fnUntraced(function* (document: Document<WorkerFields>) {
    const { tenantId } = yield* Caller
    const today = dayAt(yield* Clock.currentTimeMillis)
    const { items, nextCursor } = yield* heldBy(Credential, tenantId, document.id)
    return {
      document: { ...document, credentials: items.map((credential) => documentOn(credential, today)) },
      warnings: nextCursor === null ? [] : [moreHeld(document.id)]
    }
  })

  return Workers.of({
    ...writing,
    read: Effect.fnUntraced(function* (id, asked) {
      const { isIncluding, query } = yield* including(asked)
      const shown = yield* read(id, query)
      return isIncluding ? yield* withCredentials(shown.document) : shown
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

export const layer: Layer.Layer<Workers, never, Resources | ResourceStore | PrivilegeRules> = Layer.effect(
  Workers,
  make
)
