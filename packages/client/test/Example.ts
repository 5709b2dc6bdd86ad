import * as NewerClient from "@wcs/client/NewerClient"
import * as Paging from "@wcs/client/Paging"
import { Config, Effect, Layer, Stream } from "effect"

/** The client, as the environment says. */
const client = Layer.unwrap(
  Effect.gen(function* () {
    const baseUrl = yield* Config.String("WCS_URL")
    const clientId = yield* Config.String("WCS_CLIENT_ID")
    const clientSecret = yield* Config.Redacted("WCS_CLIENT_SECRET")
    return NewerClient.layer({ baseUrl, access: { clientId, clientSecret } })
  })
)

/** Hires an applicant: what the applicant holds goes over to the new worker. */
const program = Effect.gen(function* () {
  const { applicants, credentials, workers } = yield* NewerClient.NewerClient
  const displayName = "Cy Example"

  // A create answers its Location beside its body, and is never sent twice by itself.
  const { body: worker } = yield* workers.create({
    payload: { identity: { displayName }, source: { externalId: "hr-4711" } }
  })
  const { body: applicant } = yield* applicants.create({
    payload: { displayName, emailAddress: "cy@example.org" }
  })
  const { body: credential } = yield* credentials.create({
    payload: { attributes: { credentialType: "FIRST_AID", owners: { applicant: applicant.data.id } } }
  })

  // Sent again until it is answered: it does the same once and twice.
  const params = { id: credential.data.id }
  const from = { type: "applicant", id: applicant.data.id } as const
  const to = { type: "worker", id: worker.data.id } as const
  const outcome = yield* credentials.transfer({ params, payload: { from, to } })
  if (outcome._tag === "HeldOtherwise") return `held by ${outcome.owners.worker ?? "no worker"}`

  // A conflict is an outcome: the credential was read again, and here is who holds it.
  const { body: other } = yield* workers.create({
    payload: { identity: { displayName: "Di Example" }, source: { externalId: "hr-4712" } }
  })
  const late = yield* credentials.transfer({
    params,
    payload: { from: { type: "worker", id: other.data.id }, to: { type: "applicant", id: applicant.data.id } }
  })
  const holder = late._tag === "HeldOtherwise" ? late.owners.worker : other.data.id

  // Page after page, as long as there are more.
  const found = yield* Stream.runCollect(Paging.items(workers.list, { externalId: "hr-4711" }))
  return `done, and then: held by ${found.find(({ id }) => id === holder)?.id ?? "nobody that we know"}`
}).pipe(
  // Branch on status and code; the message is for people.
  Effect.catchTag("Refused", (refused) =>
    refused.status === 403 ? Effect.succeed(`not allowed, ask for request ${refused.requestId}`) : Effect.fail(refused)
  )
)

export const hire = Effect.provide(program, client)
