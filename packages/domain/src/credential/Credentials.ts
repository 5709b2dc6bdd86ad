import { Context, Effect, Layer } from "effect"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { type IncludedOwners, makeWithOwners } from "../crud/IncludedOwners.ts"
import { makePast, ResourceHistory } from "../crud/ResourceHistory.ts"
import { readPast } from "../crud/ResourceReads.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import * as Credential from "../holding/Credential.ts"
import type { OwnerNotFound } from "../ownership/Ownership.ts"
import type { OwnerOutside } from "../people/Oversight.ts"
import { requireOnly } from "../resource/AsOf.ts"
import type { Reading, Restoring, Writing } from "../resource/Collection.ts"
import { makeIncluding } from "../resource/Include.ts"
import type { Query } from "../resource/ListQuery.ts"
import { Ids } from "../shared/Id.ts"
import { makeCredentialWrites, shownAt } from "./CredentialWrites.ts"
import { makeDuplicates } from "./Duplicates.ts"
import { makeOwnerChanges, type OwnerChanges } from "./OwnerChanges.ts"

/** A credential as GET returns it, with its owners if requested. */
export type ReadCredential = Credential.CredentialView & { readonly owners?: IncludedOwners }

const slotsOf = ({ attributes }: Credential.CredentialView) => attributes.owners

/** The standard use cases for credentials, plus changes of owners. `include=owners` also needs READ of the owners. */
export class Credentials extends Context.Service<
  Credentials,
  Reading<ReadCredential, Forbidden, Forbidden> &
    Writing<Credential.CredentialView, OwnerNotFound, OwnerOutside, OwnerOutside> &
    Restoring<Credential.CredentialView, OwnerOutside> &
    OwnerChanges
>()("@wcs/domain/Credentials") {}

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const rules = yield* PrivilegeRules
  const store = yield* ResourceStore
  const including = makeIncluding(rules, "owners", "credentialWithOwners")
  const withOwners = makeWithOwners(store)
  const duplicates = makeDuplicates(store, rules)
  const writes = makeCredentialWrites(resources, yield* Ids)

  const past = makePast(yield* ResourceHistory)

  const readAsOf = Effect.fnUntraced(function* (id: string, { asOf = "", ...query }: Query) {
    yield* Effect.fromResult(requireOnly(query, ["includeDeleted"]))
    const document = yield* readPast(Credential.Credential, id, yield* past(asOf, query), shownAt)
    return { text: JSON.stringify(document) } // no tag: a write cannot compare with the past
  })

  const readWithOwners = Effect.fnUntraced(function* (id: string, query: Query) {
    const plain = yield* resources.read(Credential.Credential, id, query, shownAt)
    const [document = plain] = yield* withOwners([plain], slotsOf)
    return { text: JSON.stringify(document) } // no tag: the credential's would not cover the owners
  })

  return Credentials.of({
    ...writes,
    create: Effect.fnUntraced(function* (body) {
      const created = yield* writes.create(body)
      const { document, warnings } = created
      return { ...created, warnings: [...warnings, ...(yield* duplicates.ofCredential(document.id, document))] }
    }),
    ...(yield* makeOwnerChanges),
    read: (id, asked) => {
      if (asked["asOf"] !== undefined) return readAsOf(id, asked)
      return Effect.flatMapEager(
        including(asked),
        ({ isIncluding, query }): ReturnType<Credentials["Service"]["read"]> =>
          isIncluding ? readWithOwners(id, query) : resources.get(Credential.Credential, id, query, shownAt)
      )
    },
    list: Effect.fnUntraced(function* (asked) {
      const { isIncluding, query } = yield* including(asked)
      const page = yield* resources.list(Credential.Credential, query, shownAt)
      return isIncluding ? { ...page, documents: yield* withOwners(page.documents, slotsOf) } : page
    })
  })
})

export const layer = Layer.effect(Credentials, make)
