import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { type Actor, type AuditEntry, makeAudit } from "../audit/AuditEntry.ts"
import { type Change, ResourceStore } from "../crud/ResourceStore.ts"
import { purposeOf as documentPurposeOf } from "../document/Document.ts"
import { DocumentStore } from "../document/DocumentStore.ts"
import type { Resource } from "../resource/Resource.ts"
import { SecondFactorStore } from "../second-factor/SecondFactorStore.ts"
import * as SecondFactors from "../second-factor/SecondFactors.ts"
import { Ids } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import { Seal } from "../shared/Seal.ts"
import { IdentityProvider } from "../single-sign-on/IdentityProvider.ts"
import * as IdentityProviders from "../single-sign-on/IdentityProviders.ts"
import { AccessStore } from "../token/AccessStore.ts"
import * as SigningKey from "../token/SigningKey.ts"
import { secretPurposeOf } from "../verification/SourceAccess.ts"
import { VerificationSource } from "../verification/VerificationSource.ts"
import { Webhook } from "../webhook/Webhook.ts"
import * as WebhookSecret from "../webhook/WebhookSecret.ts"
import type { SealedKind } from "./SealedKind.ts"

/** The result of one batch. */
export interface ResealedBatch {
  /** The number of secrets that are now sealed under the current master key. */
  readonly resealed: number
  /** The purposes of secrets that no key opens. They are left as they are. */
  readonly unreadable: ReadonlyArray<string>
  /** Where the next batch continues; null after the last one. */
  readonly next: string | null
}

/** Seals stored secrets under the current master key, while servers run (DECISIONS.md#access). */
export class Resealing extends Context.Service<
  Resealing,
  {
    /**
     * Seals the secrets of the next items of a kind. `tenantId` is ignored for signing keys, which have no tenant. A
     * secret that has changed meanwhile is kept. Can be repeated, for example after a crash.
     */
    readonly batch: (
      kind: SealedKind,
      tenantId: string,
      after: string | null,
      actor: Actor
    ) => Effect.Effect<ResealedBatch>
  }
>()("@wcs/domain/Resealing") {}

/** The maximum number of items in a batch, so that requests run between two batches. */
export const batchMax = 50

/** Returns the new text of a sealed text, or the same text if there is none. */
type Replace = (sealed: string) => string

/** A stored item with its sealed texts. */
interface Item {
  readonly id: string
  readonly purpose: string
  readonly sealed: ReadonlyArray<string>
  /** Stores the new texts with the audit entry. Returns false if none of the old texts is still stored. */
  readonly store: (replace: Replace, audit: AuditEntry) => Effect.Effect<boolean>
}

interface Page {
  readonly items: ReadonlyArray<Item>
  readonly next: string | null
}

type Pages = (tenantId: string, after: string | null) => Effect.Effect<Page>

const pageOf = (items: ReadonlyArray<Item>): Page => ({
  items,
  next: items.length < batchMax ? null : (items.at(-1)?.id ?? null)
})

/** The pages of a resource. Deleted ones are included, because they can be read and their secrets stay stored. */
const ofResource =
  <Fields extends JsonObject>(
    store: ResourceStore["Service"],
    resource: Resource<Fields>,
    purposeOf: (id: string) => string,
    sealedIn: (fields: Fields) => ReadonlyArray<string>,
    replaceIn: (fields: Fields, replace: Replace) => Fields
  ): Pages =>
  (tenantId, after) =>
    store
      .list(resource, tenantId, {
        conditions: [],
        sort: { column: "id", direction: "asc" },
        pageSize: batchMax,
        after: after === null ? undefined : { key: after, id: after },
        offset: 0,
        includeDeleted: true,
        includeTotal: false
      })
      .pipe(
        Effect.map(({ items }) =>
          pageOf(
            items.map(({ fields, id }) => ({
              id,
              purpose: purposeOf(id),
              sealed: sealedIn(fields),
              store: (replace, audit) =>
                store
                  .change<Fields, never, Change<Fields>>(resource, tenantId, id, [], ({ current }) => {
                    const before = Option.getOrThrow(current)
                    if (sealedIn(before.fields).every((sealed) => replace(sealed) === sealed)) {
                      return Result.succeed({ _tag: "Unchanged", current: before })
                    }
                    const next = { ...before, version: before.version + 1, fields: replaceIn(before.fields, replace) }
                    return Result.succeed({ _tag: "Changed", next, records: { audit: [audit], events: [] } })
                  })
                  .pipe(Effect.map(({ _tag }) => _tag === "Changed"))
            }))
          )
        )
      )

const ofSecondFactors =
  (store: SecondFactorStore["Service"]): Pages =>
  (tenantId, after) =>
    Effect.map(store.page(tenantId, after, batchMax), (factors) =>
      pageOf(
        factors.map(({ accountId, sealedSeed }) => ({
          id: accountId,
          purpose: SecondFactors.purposeOf(accountId),
          sealed: [sealedSeed],
          store: (replace, audit) =>
            store.change(tenantId, accountId, (factor) =>
              factor?.sealedSeed === sealedSeed
                ? { answer: true, next: { ...factor, sealedSeed: replace(sealedSeed) }, audit }
                : { answer: false }
            )
        }))
      )
    )

/** A document has a key of its own, so its content stays as it is. */
const ofDocuments =
  (store: DocumentStore["Service"]): Pages =>
  (tenantId, after) =>
    Effect.map(store.page(tenantId, after, batchMax), (documents) =>
      pageOf(
        documents.map(({ id, sealedKey }) => ({
          id,
          purpose: documentPurposeOf(id),
          sealed: [sealedKey],
          store: (replace, audit) =>
            Effect.match(
              store.change(tenantId, id, ({ document }) =>
                Option.isSome(document) && document.value.sealedKey === sealedKey
                  ? Result.succeed({ next: { ...document.value, sealedKey: replace(sealedKey) }, audit: [audit] })
                  : Result.fail("changed" as const)
              ),
              { onFailure: () => false, onSuccess: () => true }
            )
        }))
      )
    )

const ofSigningKeys =
  (store: AccessStore["Service"]): Pages =>
  () =>
    Effect.map(store.listSigningKeys, (keys) => ({
      items: keys.map((key) => ({
        id: key.kid,
        purpose: SigningKey.purposeOf(key),
        sealed: [key.sealedPrivateKey],
        store: (replace, audit) => store.resealSigningKey(key, replace(key.sealedPrivateKey), audit)
      })),
      next: null
    }))

export const make = Effect.gen(function* () {
  const seal = yield* Seal
  const audited = makeAudit(yield* Ids)
  const resources = yield* ResourceStore
  const pages: Readonly<Record<SealedKind, Pages>> = {
    webhook: ofResource(
      resources,
      Webhook,
      WebhookSecret.purposeOf,
      ({ secrets }) => secrets.map(({ sealed }) => sealed),
      (fields, replace) => ({
        ...fields,
        secrets: fields.secrets.map((secret) => ({ ...secret, sealed: replace(secret.sealed) }))
      })
    ),
    identityProvider: ofResource(
      resources,
      IdentityProvider,
      IdentityProviders.secretPurposeOf,
      ({ sealedClientSecret }) => (sealedClientSecret === "" ? [] : [sealedClientSecret]),
      (fields, replace) => ({ ...fields, sealedClientSecret: replace(fields.sealedClientSecret) })
    ),
    verificationSource: ofResource(
      resources,
      VerificationSource,
      secretPurposeOf,
      ({ sealedSecret }) => (sealedSecret === "" ? [] : [sealedSecret]),
      (fields, replace) => ({ ...fields, sealedSecret: replace(fields.sealedSecret) })
    ),
    secondFactor: ofSecondFactors(yield* SecondFactorStore),
    document: ofDocuments(yield* DocumentStore),
    signingKey: ofSigningKeys(yield* AccessStore)
  }

  const reseal = Effect.fnUntraced(function* (kind: SealedKind, { id, purpose, sealed, store }: Item, actor: Actor) {
    const texts = new Map<string, string>()
    let isReadable = true
    for (const text of sealed) {
      yield* Effect.match(seal.reseal(purpose, text), {
        onFailure: () => {
          isReadable = false
        },
        onSuccess: Option.map((fresh) => texts.set(text, fresh))
      })
    }
    const unreadable = isReadable ? [] : [purpose]
    if (texts.size === 0) return { resealed: 0, unreadable }
    const action = { operation: "UPDATE", action: "reseal", entityType: kind, entityId: id } as const
    const audit = yield* audited(actor, action, yield* Clock.currentTimeMillis)
    const isStored = yield* store((text) => texts.get(text) ?? text, audit)
    return { resealed: isStored ? texts.size : 0, unreadable }
  })

  return Resealing.of({
    batch: Effect.fn("Resealing.batch")(function* (kind, tenantId, after, actor) {
      const { items, next } = yield* pages[kind](tenantId, after)
      const done = yield* Effect.forEach(items, (item) => reseal(kind, item, actor))
      return {
        resealed: done.reduce((sum, { resealed }) => sum + resealed, 0),
        unreadable: done.flatMap(({ unreadable }) => unreadable),
        next
      }
    })
  })
})

export const layer = Layer.effect(Resealing, make)
