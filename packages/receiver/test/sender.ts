/** The sender's side: secrets, events and signed requests. */
import type { Incoming } from "@wcs/receiver/Receiver"
import { sign } from "@wcs/receiver/SignedDelivery"
import * as SigningSecret from "@wcs/receiver/SigningSecret"
import { Result } from "effect"

/** The n-th secret, as the webhook's create or rotate shows it. */
export const secretText = (n: number): string => `whsec_${Buffer.alloc(32, n).toString("base64")}`

export const secretOf = (n: number): SigningSecret.SigningSecret =>
  Result.getOrThrow(SigningSecret.parse(secretText(n)))

export const idOf = (n: number): string => `dlv_${String(n).padStart(16, "0")}`

/** A time at a whole second, in milliseconds and in seconds. */
export const timestamp = 1_800_000_000
export const now = timestamp * 1000

export const verified = (deliveryId: string) => ({
  type: "credential.verified",
  timestamp: "2027-01-15T08:00:00.000Z",
  deliveryId,
  eventId: "evt_0000000000000001",
  correlationId: "hire-4711",
  sequence: 3,
  data: {
    credential: {
      id: "cred_0000000000000001",
      type: "credential",
      credentialType: "WWCC_NSW",
      owners: { worker: "wkr_0000000000000001", applicant: null }
    },
    verification: {
      eligibility: "MAY_ENGAGE",
      statusDetail: "VALID",
      expiryDate: "2029-01-15",
      errorMessage: null,
      requestId: "01KCZ00000000000000000000Z",
      trigger: "verify",
      verifiedAt: "2027-01-15T08:00:00.000Z"
    }
  }
})

export const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** The headers of a delivery that is signed with these secrets. */
export const headersOf = (
  id: string,
  body: Uint8Array,
  secrets: ReadonlyArray<SigningSecret.SigningSecret> = [secretOf(1)],
  at: number = timestamp
): Record<string, string> => ({
  "webhook-id": id,
  "webhook-timestamp": String(at),
  "webhook-signature": secrets.map((secret) => sign(secret, id, at, body)).join(" "),
  "X-Service-Delivery": id,
  "X-Service-Event": "credential.verified",
  "X-Service-Webhook": "whk_0000000000000001",
  "X-Service-Attempt": "1"
})

async function* chunksOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length; start += 100) yield body.subarray(start, start + 100)
}

/** The request that delivers an event, at a time in seconds. */
export const requestOf = (
  id: string,
  {
    at = timestamp,
    body = bytesOf(verified(id)),
    headers = headersOf(id, body, [secretOf(1)], at),
    method = "POST"
  }: {
    readonly at?: number
    readonly body?: Uint8Array
    readonly headers?: Record<string, string>
    readonly method?: string
  } = {}
): Incoming => ({ method, headers: Object.entries(headers), body: chunksOf(body) })
