import { Clock, Data, Effect, Option, Redacted } from "effect"
import { isTokenShaped } from "../access/OpaqueToken.ts"
import { RateLimited, RateLimiter } from "../access/RateLimitTier.ts"
import type { Tenant } from "../access/Tenant.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { LanguageTag } from "../message/Language.ts"
import { answerDaysOf, type MessageSettings } from "../message/MessageSettings.ts"
import type { OwnerType } from "../ownership/Ownership.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { Answer, type AskedRequest, answerIdOf, askedOn, askedResources, requestOf } from "../screening/Answer.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Digest } from "../shared/Digest.ts"
import * as Access from "./AnswerAccess.ts"
import { AnswerAccessStore } from "./AnswerAccessStore.ts"
import { type Notice, noticeOf } from "./Notice.ts"

/** The link is unknown, of another tenant, or its request has ended. All are the same for the visitor. */
export class NoAnswerLink extends Data.TaggedError("NoAnswerLink") {}

/** The visitor of a link: its secret, and the secret of the device. Both can be anything. */
export interface Visitor {
  readonly secret: Redacted.Redacted
  readonly device: Redacted.Redacted
  /** The language in which the page speaks. */
  readonly language: LanguageTag
  /** The settings of the organization, as the visit has read them. */
  readonly settings: MessageSettings
}

/** Why a visitor sees no page. */
export type Refused = NoAnswerLink | RateLimited

/** Makes what opening a link and answering have in common. */
export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const accesses = yield* AnswerAccessStore
  const limiter = yield* RateLimiter
  const digest = yield* Digest

  const count = Effect.fnUntraced(function* (tier: "answerLinks" | "answerPages", key: string) {
    const quota = yield* limiter.take(tier, key)
    if (quota.exceeded) return yield* new RateLimited({ quota })
  })

  /** The hash of a secret; undefined if it cannot be one. */
  const hashOf = (secret: Redacted.Redacted): string | undefined => {
    const text = Redacted.value(secret)
    return isTokenShaped(text) ? digest.sha256(text) : undefined
  }

  /** Finds the request of a link; `asked` is undefined if it has ended. */
  const findAny = Effect.fnUntraced(function* (tenant: Tenant, { device, secret }: Visitor) {
    const hash = hashOf(secret)
    const found = hash === undefined ? Option.none() : yield* accesses.find(tenant.id, hash)
    const request = Option.isSome(found) ? requestOf(found.value.requestId) : undefined
    if (Option.isNone(found) || request === undefined) {
      // Only unknown links use up what the tenant has, so that strangers lock nobody out.
      yield* count("answerPages", tenant.id)
      return yield* new NoAnswerLink()
    }
    yield* count("answerLinks", request.id)
    const moment = momentAt(yield* Clock.currentTimeMillis, tenant.timeZone)
    const stored = yield* store.find(askedResources[request.type], tenant.id, request.id)
    const living = Option.filter(stored, (row) => isVisible(row, false))
    if (Option.isNone(living)) return yield* new NoAnswerLink()
    const { access } = found.value
    const asked = askedOn(request.type, living.value.fields, moment.today)
    return { request, asked, moment, standing: Access.standingOf(access, hashOf(device)) }
  })

  /** Finds the open request of a link. */
  const find = Effect.fnUntraced(function* (tenant: Tenant, visitor: Visitor) {
    const { asked, ...found } = yield* findAny(tenant, visitor)
    return asked === undefined ? yield* new NoAnswerLink() : { ...found, asked }
  })

  /** The notice to a person, with a name of its words, so that nobody agrees to other words than those that were shown. */
  const noticeTo = ({ name, retentionYears }: Tenant, person: OwnerType, { language, settings }: Visitor) => {
    const noticed = { organization: name, retentionYears, contact: settings.privacyContact }
    const notice = noticeOf({ ...noticed, answerDays: answerDaysOf(settings) }, person, language)
    return { notice, key: keyOf(notice) }
  }

  const keyOf = ({ consent, paragraphs }: Notice): string =>
    digest.sha256([...paragraphs, consent].join("\n")).slice(0, 32)

  /** The answer to a request, if there is one. */
  const answerTo = (tenantId: string, { id }: AskedRequest) =>
    Effect.map(store.find(Answer, tenantId, answerIdOf(id)), (found) =>
      Option.getOrUndefined(Option.filter(found, (row) => isVisible(row, false)))
    )

  return { hashOf, findAny, find, noticeTo, answerTo }
})
