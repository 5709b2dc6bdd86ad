import { renewalWindowSeconds } from "@wcs/domain/access/TokenLifetime"
import { Data, Duration, Effect, Option, Schema } from "effect"
import { defaultRetryPolicy, type RetryPolicy } from "./RetryPolicy.ts"

/** The settings of both clients. */
export interface Settings {
  /** The base URL of the deployment, without the root of the surface: `https://t1.example.com`. */
  readonly baseUrl: string
  /** Overrides of `defaultRetryPolicy`. */
  readonly retry?: Partial<RetryPolicy>
  /** Time before the expiry at which a token is renewed, at most half of its lifetime. Default: 5 minutes. */
  readonly renewAhead?: Duration.Input
}

/** The base URL is invalid: not HTTPS (§4), or with user, query or fragment. */
export class InvalidBaseUrl extends Data.TaggedError("InvalidBaseUrl") {
  override get message() {
    return "the base URL must start with https:// and have no user, password, query or fragment"
  }
}

/** Checks for HTTPS, a host and an optional path. */
const form = /^https:\/\/[^/?#@\s\\]+(\/[^?#\s\\]*)?$/iu

const isParseable = (text: string): boolean => Option.isSome(Schema.decodeUnknownOption(Schema.URLFromString)(text))

/** Adds the defaults. */
export const complete = Effect.fnUntraced(function* ({ baseUrl, renewAhead, retry }: Settings) {
  if (!form.test(baseUrl) || !isParseable(baseUrl)) return yield* new InvalidBaseUrl()
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    retry: { ...defaultRetryPolicy, ...retry },
    renewAhead: Duration.fromInputUnsafe(renewAhead ?? Duration.seconds(renewalWindowSeconds))
  }
})
