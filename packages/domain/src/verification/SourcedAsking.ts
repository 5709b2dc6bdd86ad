import { Effect, Layer } from "effect"
import { RateLimiter } from "../access/RateLimitTier.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { Ids } from "../shared/Id.ts"
import { Seal } from "../shared/Seal.ts"
import { DefaultSource, isDefaultFor } from "./DefaultSource.ts"
import { Register, RegisterFailed } from "./Register.ts"
import { makeGatewayOf, makeRecordResult, makeSourcesOf } from "./SourceAccess.ts"
import { TenantGateways } from "./TenantGateways.ts"
import { resultOf, type StoredSource } from "./VerificationSource.ts"

/**
 * The maximum number of questions of a source in flight in this process. A slow gateway leaves the worker's other places
 * to other tenants.
 */
const inFlightMax = 4

/** The least time that a question waits while its source is paused, or has the maximum in flight. In milliseconds. */
const pausedMillis = 15_000
const busyMillis = 1000

/** The deployment's register, among the ids of sources. */
const defaultId = "default"

const notConfigured = new RegisterFailed({
  fault: "SOURCE_NOT_CONFIGURED",
  isTransient: false,
  detail: "The tenant has no verification source for this register."
})

const deferred = (delayMillis: number) => ({ _tag: "Deferred", delayMillis }) as const

/** Asks each question by the source of its tenant, or else by the deployment's register (DECISIONS.md#sources). */
export const make = Effect.gen(function* () {
  const standard = yield* Register
  const gateways = yield* TenantGateways
  const store = yield* ResourceStore
  const limiter = yield* RateLimiter
  const defaultSource = yield* DefaultSource
  const sourcesOf = makeSourcesOf(store)
  const gatewayOf = makeGatewayOf(yield* Seal)
  const record = makeRecordResult(store, yield* Ids)
  const inFlight = new Map<string, number>()

  const count = (id: string, by: 1 | -1) =>
    Effect.sync(() => {
      const left = (inFlight.get(id) ?? 0) + by
      if (left === 0) inFlight.delete(id)
      else inFlight.set(id, left)
    })

  /** How long a question waits for its turn, in milliseconds; undefined if it has it. */
  const delayOf = Effect.fnUntraced(function* (id: string, callsPerMinute: number) {
    const quota = yield* limiter.take("sourceQuestions", id, { calls: callsPerMinute, windowSeconds: 60 })
    return quota.exceeded ? quota.resetSeconds * 1000 : undefined
  })

  const askDefault = Effect.fnUntraced(function* (...[question, tenantId]: Parameters<Register["Service"]["ask"]>) {
    const { callsPerMinute } = defaultSource
    const delayMillis = callsPerMinute === null ? undefined : yield* delayOf(defaultId, callsPerMinute)
    return delayMillis === undefined ? yield* standard.ask(question, tenantId) : deferred(delayMillis)
  })

  const askBy = Effect.fnUntraced(function* (
    source: StoredSource,
    ...[question, tenantId]: Parameters<Register["Service"]["ask"]>
  ) {
    const { id } = source
    const { callsPerMinute } = source.fields.limits
    if (source.fields.state === "PAUSED") return deferred(pausedMillis)
    const gateway = yield* gatewayOf(source)
    if (gateway === undefined) return yield* notConfigured
    if ((inFlight.get(id) ?? 0) >= inFlightMax) return deferred(busyMillis)
    const delayMillis = yield* delayOf(id, callsPerMinute)
    if (delayMillis !== undefined) return deferred(delayMillis)
    const answer = yield* Effect.acquireUseRelease(
      count(id, 1),
      () => Effect.result(gateways.ask(question, gateway)),
      () => count(id, -1)
    )
    yield* record(tenantId, source, resultOf(answer))
    return yield* Effect.fromResult(answer)
  })

  return Register.of({
    ask: Effect.fnUntraced(function* (question, tenantId) {
      const { credentialType } = question
      if (!CredentialType.asked.includes(credentialType)) return yield* standard.ask(question, tenantId)
      const [source] = yield* sourcesOf(tenantId, credentialType)
      if (source !== undefined) return yield* askBy(source, question, tenantId)
      return yield* isDefaultFor(defaultSource, tenantId, credentialType)
        ? askDefault(question, tenantId)
        : Effect.fail(notConfigured)
    })
  })
})

export const layer = Layer.effect(Register, make)
