import * as NewerClient from "@wcs/client/NewerClient"
import * as Paging from "@wcs/client/Paging"
import { Config, Effect, Layer, Stream } from "effect"

/** The client, with settings from the environment. */
const client = Layer.unwrap(
  Effect.gen(function* () {
    const baseUrl = yield* Config.String("WCS_URL")
    const clientId = yield* Config.String("WCS_CLIENT_ID")
    const clientSecret = yield* Config.Redacted("WCS_CLIENT_SECRET")
    return NewerClient.layer({ baseUrl, access: { clientId, clientSecret } })
  })
)

/** Hires an applicant: transfers the credential of the applicant to a new worker. */
const program = Effect.gen(function* () {
  const { applicants, credentials, workers } = yield* NewerClient.NewerClient
  const displayName = "Cy Example"

  // A create returns the body and the headers. The client never repeats it.
  const { body: worker } = yield* workers.create({
    payload: { identity: { displayName }, source: { externalId: "hr-4711" } }
  })
  const { body: applicant } = yield* applicants.create({
    payload: { displayName, emailAddress: "cy@example.org" }
  })
  const { body: credential } = yield* credentials.create({
    payload: { attributes: { credentialType: "FIRST_AID", owners: { applicant: applicant.data.id } } }
  })

  // A transfer is idempotent, so the client retries it.
  const params = { id: credential.data.id }
  const from = { type: "applicant", id: applicant.data.id } as const
  const to = { type: "worker", id: worker.data.id } as const
  const outcome = yield* credentials.transfer({ params, payload: { from, to } })
  if (outcome._tag === "HeldOtherwise") return `held by ${outcome.owners.worker ?? "no worker"}`

  // A conflict is an outcome with the current owners, not an error.
  const { body: other } = yield* workers.create({
    payload: { identity: { displayName: "Di Example" }, source: { externalId: "hr-4712" } }
  })
  const late = yield* credentials.transfer({
    params,
    payload: { from: { type: "worker", id: other.data.id }, to: { type: "applicant", id: applicant.data.id } }
  })
  const holder = late._tag === "HeldOtherwise" ? late.owners.worker : other.data.id

  // Reads all pages.
  const found = yield* Stream.runCollect(Paging.items(workers.list, { externalId: "hr-4711" }))
  return `done, and then: held by ${found.find(({ id }) => id === holder)?.id ?? "an unknown owner"}`
}).pipe(
  // Use status and code. The message is for people.
  Effect.catchTag("Refused", (refused) =>
    refused.status === 403 ? Effect.succeed(`not allowed, ask for request ${refused.requestId}`) : Effect.fail(refused)
  )
)

export const hire = Effect.provide(program, client)
