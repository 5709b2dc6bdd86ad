import { renewalWindowSeconds } from "@wcs/domain/access/TokenLifetime"
import { Data, Duration, Effect, Option, Schema } from "effect"
import { defaultRetryPolicy, type RetryPolicy } from "./RetryPolicy.ts"

/** What both clients are told. */
export interface Settings {
  /** Where the deployment is, below which the surface stands: `https://t1.example.com`. */
  readonly baseUrl: string
  /** Where it differs from `defaultRetryPolicy`. */
  readonly retry?: Partial<RetryPolicy>
  /** How long before a token expires it is renewed, but not before half of its life: 5 minutes by default. */
  readonly renewAhead?: Duration.Input
}

/** The base URL is none, is not HTTPS (§4), or says more than where the deployment is. */
export class InvalidBaseUrl extends Data.TaggedError("InvalidBaseUrl") {
  override get message() {
    return "the base URL must begin with https:// and have no user, password, query or fragment"
  }
}

/** HTTPS, a host, and perhaps a path. */
const form = /^https:\/\/[^/?#@\s\\]+(\/[^?#\s\\]*)?$/iu

const isParseable = (text: string): boolean => Option.isSome(Schema.decodeUnknownOption(Schema.URLFromString)(text))

/** The settings with what was left out. */
export const complete = Effect.fnUntraced(function* ({ baseUrl, renewAhead, retry }: Settings) {
  if (!form.test(baseUrl) || !isParseable(baseUrl)) return yield* new InvalidBaseUrl()
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    retry: { ...defaultRetryPolicy, ...retry },
    renewAhead: Duration.fromInputUnsafe(renewAhead ?? Duration.seconds(renewalWindowSeconds))
  }
})
