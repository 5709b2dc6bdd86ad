import { judgeOver } from "@wcs/conformance/engine/Conformance"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import { reportOf } from "@wcs/conformance/report/Reporting"
import { parse } from "@wcs/conformance/text/Json"
import type { Request, Silence } from "@wcs/conformance/wire/Exchange"
import { NoAnswer, Wire } from "@wcs/conformance/wire/Wire"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import * as GatewayUrl from "@wcs/register/GatewayUrl"
import * as Reference from "@wcs/register/ReferenceGateway"
import type { Sample } from "@wcs/register-kit/Samples"
import { suiteOf } from "@wcs/register-kit/Suite"
import { profileOf, secretName, type Target } from "@wcs/register-kit/Target"
import { Effect, Layer, Option, Stream } from "effect"

export const token = "tok_of_the_reference_gateway"

const today = dayAt(Date.now(), defaultTimeZone)

/** The question of a caller who declares all that stands on a card. */
const questionAbout = (one: Reference.Card) => ({
  credentialType: one.credentialType,
  jurisdiction: null,
  identifier: one.identifier,
  issueNumber: null,
  cardType: null,
  expiryDate: CredentialType.asksForExpiryDate(one.credentialType) ? Reference.expiryOf(one, today) : null,
  holder: {
    firstName: one.firstName,
    middleName: null,
    lastName: one.lastName,
    birthDate: one.birthDate,
    otherNames: []
  },
  issuingCountry: null
})

/** The cards of the reference gateway with its answers. */
export const samples: ReadonlyArray<Sample> = Reference.cards.map((one) => {
  const question = questionAbout(one)
  const { body } = respond({ method: "POST", authorization: `Bearer ${token}`, body: JSON.stringify(question) })
  const { expiryDate = null, statusDetail } = JSON.parse(body)
  return { question, answer: { statusDetail, expiryDate } }
})

/** Answers a request, or stays silent. */
export type Gateway = (heard: Reference.Heard) => Reference.Said | Silence | Effect.Effect<Reference.Said>

/** The reference gateway. */
export function respond(heard: Reference.Heard): Reference.Said {
  return Reference.responding({ token, today: () => today })(heard)
}

const heardIn = ({ body, headers, method }: Request): Reference.Heard => ({
  method,
  authorization: headers.find(([name]) => name === "Authorization")?.[1],
  body
})

/** A gateway in this process. */
const wireOf = (gateway: Gateway) =>
  Layer.succeed(
    Wire,
    Wire.of({
      send: (request) =>
        Effect.suspend(() => {
          const said = gateway(heardIn(request))
          if (typeof said === "string") return Effect.fail(new NoAnswer({ silence: said, detail: said }))
          return Effect.map(Effect.isEffect(said) ? said : Effect.succeed(said), ({ body, headers, status }) => ({
            ...{ status, headers, text: body, json: parse(body) }
          }))
        })
    })
  )

const url = Option.getOrThrow(GatewayUrl.fromText("https://gateway.example/ask"))

/** The report of a run against a gateway in this process. */
export const judged = Effect.fnUntraced(function* (
  gateway: Gateway,
  { known = samples, only }: { readonly known?: ReadonlyArray<Sample>; readonly only?: ReadonlySet<string> } = {}
) {
  const target: Target = { url, samples: known }
  const suite = suiteOf(target)
  const events: ReadonlyArray<Event> = yield* Stream.runCollect(
    judgeOver({ suite, profile: profileOf(target, 4), environment: { [secretName]: token }, ...(only && { only }) })
  ).pipe(Effect.provide(Layer.merge(wireOf(gateway), Journal.layerMemory())))
  const report = reportOf(events, suite.rules, suite.walks)
  return report ?? (yield* Effect.die(new Error("the run emitted no report")))
})
