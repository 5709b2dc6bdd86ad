import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import type { Show } from "../crud/GroupRules.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import type { Collection, Shown } from "../resource/Collection.ts"
import type { PreconditionFailed } from "../resource/Precondition.ts"
import { type CollectionFull, ResourceNotFound, requireId } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { UpdateMethod } from "../resource/Write.ts"
import { Ids } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { isObject, type JsonObject, type JsonValue } from "../shared/Json.ts"
import { RequestId } from "../shared/RequestId.ts"
import { Seal } from "../shared/Seal.ts"
import { AddressGuard, checkAddress } from "../webhook/AddressGuard.ts"
import { WebhookSettings } from "../webhook/WebhookSettings.ts"
import { requireScheme } from "../webhook/WebhookUrl.ts"
import { DefaultSource, isDefaultFor } from "./DefaultSource.ts"
import type { RegisterQuestion } from "./Register.ts"
import { makeGatewayOf, makeRecordResult, makeSourcesOf, secretPurposeOf } from "./SourceAccess.ts"
import { TenantGateways } from "./TenantGateways.ts"
import {
  afterEvent,
  documentOf,
  resultTexts,
  type SourcedRegister,
  type SourceTest,
  testResultOf,
  VerificationSource,
  type VerificationSourceFields,
  type VerificationSourceView
} from "./VerificationSource.ts"

/** The maximum number of sources of a tenant. */
export const VerificationSourcesMax = Context.Reference<number>("@wcs/domain/VerificationSourcesMax", {
  defaultValue: () => VerificationSource.most
})

type Acted<A> = Effect.Effect<A, InvalidArgument | ResourceNotFound | PreconditionFailed, Caller | RequestId>

/**
 * The standard use cases for verification sources, plus pause and test. A body may have a `secret`, which is never
 * returned.
 */
export interface VerificationSourceCollection extends Collection<VerificationSourceView, CollectionFull> {
  /** Asks nothing until `resume`. Verifications wait. Changes nothing if the source is paused; `resume` likewise. */
  readonly pause: (id: string) => Acted<Shown<VerificationSourceView>>
  readonly resume: (id: string) => Acted<Shown<VerificationSourceView>>
  /** Asks the gateway once about nobody. */
  readonly test: (id: string) => Effect.Effect<SourceTest, InvalidArgument | ResourceNotFound, Caller | RequestId>
  /** Returns every register that can be asked, and by which source. */
  readonly registers: Effect.Effect<ReadonlyArray<SourcedRegister>, never, Caller>
}

export class VerificationSources extends Context.Service<VerificationSources, VerificationSourceCollection>()(
  "@wcs/domain/VerificationSources"
) {}

/** The form of a secret: what a header can carry as a Bearer token. */
export const secretForm = /^[!-~]{1,4096}$/u

const invalid = (field: string, reason: string) => new InvalidArgument({ field, reason })

interface Parts {
  readonly rest: JsonValue
  readonly secret: Redacted.Redacted | undefined
}

/** Takes the secret out of a body. `isPatch`: null is an error, because a secret can only be replaced. */
const partsOf = (body: JsonValue, isPatch: boolean): Result.Result<Parts, InvalidArgument> => {
  if (!isObject(body)) return Result.succeed({ rest: body, secret: undefined })
  const { secret: sent, ...rest } = body as JsonObject & Record<"secret", JsonValue>
  const secret = isPatch ? sent : (sent ?? undefined)
  if (secret === undefined) return Result.succeed({ rest, secret })
  return typeof secret === "string" && secretForm.test(secret)
    ? Result.succeed({ rest, secret: Redacted.make(secret) })
    : Result.fail(invalid("secret", "must be a string of 1 to 4096 visible ASCII characters"))
}

/** The question of a test: about nobody. */
const questionAboutNobody = (credentialType: string): RegisterQuestion => ({
  ...{ credentialType, jurisdiction: null, identifier: null, issueNumber: null, cardType: null, expiryDate: null },
  holder: { firstName: null, middleName: null, lastName: null, birthDate: null, otherNames: [] },
  issuingCountry: null
})

const show: Show<VerificationSourceFields, VerificationSourceView> = documentOf

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const store = yield* ResourceStore
  const guard = yield* AddressGuard
  const gateways = yield* TenantGateways
  const seal = yield* Seal
  const ids = yield* Ids
  const defaultSource = yield* DefaultSource
  const { allowsHttp } = yield* WebhookSettings
  const definition = { ...VerificationSource, most: yield* VerificationSourcesMax }
  const sourcesOf = makeSourcesOf(store)
  const gatewayOf = makeGatewayOf(seal)
  const record = makeRecordResult(store, ids)

  /** Returns the document to store, and the sealed secret if the body has one. */
  const prepare = Effect.fnUntraced(function* (id: string, body: JsonValue, isPatch = false) {
    const { rest, secret } = yield* Effect.fromResult(partsOf(body, isPatch))
    yield* checkAddress(guard, allowsHttp, rest)
    return { rest, secret: secret === undefined ? undefined : yield* seal.seal(secretPurposeOf(id), secret) }
  })

  const settle = (fields: VerificationSourceFields, secret: string | undefined, warnings: ReadonlyArray<string> = []) =>
    Result.map(requireScheme(fields.url, allowsHttp), () => ({
      fields: afterEvent(fields, { _tag: "Written", secret }),
      warnings
    }))

  /** A warning if the tenant has an older source of the type. */
  const remarks = Effect.fnUntraced(function* (credentialType: JsonValue | undefined) {
    if (typeof credentialType !== "string" || !CredentialType.asked.includes(credentialType)) return []
    const [first] = yield* sourcesOf((yield* Caller).tenantId, credentialType)
    return first === undefined ? [] : [`${first.id} is asked about ${credentialType}, until it is deleted`]
  })

  const create: VerificationSourceCollection["create"] = Effect.fnUntraced(function* (body) {
    const id = yield* ids.mint("verificationSource")
    const { rest, secret } = yield* prepare(id, body)
    const warnings = yield* remarks(isObject(rest) ? rest["credentialType"] : undefined)
    return yield* resources.create(definition, rest, {
      id,
      show,
      settle: (fields) => settle(fields, secret, warnings)
    })
  })

  const update = (method: UpdateMethod): VerificationSourceCollection[UpdateMethod] =>
    Effect.fnUntraced(function* (id, body) {
      yield* Effect.fromResult(requireId(VerificationSource, id))
      const { rest, secret } = yield* prepare(id, body, method === "patch")
      return yield* resources.update(definition, id, method, rest, {
        show,
        // Or a caller who may change the source could send the secret to a server of their own.
        settle: (before, after) =>
          after.url !== before.url && secret === undefined && before.sealedSecret !== ""
            ? Result.fail(invalid("secret", "must be given again with another url"))
            : settle(after, secret)
      })
    })

  const act = (action: "pause" | "resume", event: "Paused" | "Resumed") => (id: string) =>
    resources.act(
      definition,
      id,
      action,
      (fields: VerificationSourceFields) => Result.succeed(afterEvent(fields, { _tag: event })),
      { show }
    )

  return VerificationSources.of({
    read: (id, query) => resources.get(definition, id, query, show),
    list: (query) => resources.list(definition, query, show),
    create,
    replace: update("replace"),
    patch: update("patch"),
    remove: (id) => resources.remove(definition, id),
    pause: act("pause", "Paused"),
    resume: act("resume", "Resumed"),
    test: Effect.fn("VerificationSources.test")(function* (id) {
      const caller = yield* Caller
      const { tenantId } = caller
      yield* Effect.fromResult(requireId(VerificationSource, id))
      const found = yield* store.find(VerificationSource, tenantId, id)
      if (Option.isNone(found) || !isVisible(found.value, false)) {
        return yield* new ResourceNotFound({ entityType: "verificationSource", id })
      }
      const { fields } = found.value
      const gateway = yield* gatewayOf(found.value)
      if (gateway === undefined) {
        return { result: "NOT_CONFIGURED", message: resultTexts.NOT_CONFIGURED, state: fields.state } as const
      }
      const answer = yield* Effect.result(gateways.probe(questionAboutNobody(fields.credentialType), gateway))
      const result = testResultOf(answer)
      const after = yield* record(tenantId, found.value, result, actorOf(caller, yield* RequestId))
      return { result, message: resultTexts[result], state: after.state }
    }),
    registers: Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const own = Map.groupBy(yield* sourcesOf(tenantId), ({ fields }) => fields.credentialType)
      return CredentialType.catalogue.flatMap(({ code, displayName, needsAccount }): ReadonlyArray<SourcedRegister> => {
        if (!CredentialType.asked.includes(code)) return []
        const [source] = own.get(code) ?? []
        const row = { credentialType: code, displayName, needsAccount }
        if (source !== undefined) {
          return [{ ...row, askedBy: "TENANT", sourceId: source.id, state: source.fields.state }]
        }
        return isDefaultFor(defaultSource, tenantId, code)
          ? [{ ...row, askedBy: "DEPLOYMENT", sourceId: null, state: null }]
          : [{ ...row, askedBy: "NONE", sourceId: null, state: "NOT_CONFIGURED" }]
      })
    })
  })
})

export const layer = Layer.effect(VerificationSources, make)
