import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { tokenLength } from "../access/OpaqueToken.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { InvitationReference } from "../event/MessageDraft.ts"
import { AnswerLinks } from "../message/AnswerLinks.ts"
import { MessageStore } from "../message/MessageStore.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { Answer, answerIdOf, askedOn, askedResources } from "../screening/Answer.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import * as Access from "./AnswerAccess.ts"
import { AnswerAccessStore } from "./AnswerAccessStore.ts"

/** The path of the page, without the secret of a link. */
export const answerPath = "/answer"

const digits = "0123456789"

/** The hash of a code. It depends on the request, because codes are short. */
export const codeHashOf = (sha256: Digest["Service"]["sha256"], requestId: string, code: string): string =>
  sha256(`${requestId} ${code}`)

/** Mints the links and codes of the page. */
export const make = Effect.gen(function* () {
  const accesses = yield* AnswerAccessStore
  const store = yield* ResourceStore
  const messages = yield* MessageStore
  const digest = yield* Digest
  const ids = yield* Ids

  const isAsked = Effect.fnUntraced(function* (tenantId: string, { id, type }: InvitationReference) {
    const { timeZone } = yield* messages.tenant(tenantId)
    const { today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const found = yield* store.find(askedResources[type], tenantId, id)
    return Option.exists(found, (row) => isVisible(row, false) && askedOn(type, row.fields, today) !== undefined)
  })

  /** Mints a secret of an open request. */
  const minting = Effect.fnUntraced(function* (
    tenantId: string,
    request: InvitationReference,
    secret: Effect.Effect<string>,
    change: (access: Access.AnswerAccess, text: string, now: number) => Access.AnswerAccess | undefined
  ) {
    if (!(yield* isAsked(tenantId, request))) return Option.none<string>()
    const text = yield* secret
    const now = yield* Clock.currentTimeMillis
    const { next } = yield* accesses.change(tenantId, request.id, (access) => ({ next: change(access, text, now) }))
    return next === undefined ? Option.none<string>() : Option.some(text)
  })

  return AnswerLinks.of({
    issue: (tenantId, request) =>
      Effect.map(
        minting(tenantId, request, ids.secret(tokenLength), (access, text) =>
          Access.withLink(access, digest.sha256(text))
        ),
        Option.map((text) => Redacted.make(`${answerPath}/${text}`))
      ),

    issueCode: (tenantId, request) =>
      Effect.map(
        minting(tenantId, request, ids.secret(Access.codeLength, digits), (access, text, now) =>
          Access.withCode(access, codeHashOf(digest.sha256, request.id, text), now)
        ),
        Option.map((text) => Redacted.make(text))
      ),

    decision: (tenantId, { id }) =>
      Effect.map(store.find(Answer, tenantId, answerIdOf(id)), (found) =>
        Option.flatMapNullishOr(found, ({ fields: { decision, state } }) =>
          decision === undefined || state === "APPROVING" || state === "WAITING"
            ? undefined
            : { isAccepted: state === "APPROVED", reason: decision.reason ?? "" }
        )
      )
  })
})

export const layer: Layer.Layer<AnswerLinks, never, AnswerAccessStore | ResourceStore | MessageStore | Digest | Ids> =
  Layer.effect(AnswerLinks, make)
