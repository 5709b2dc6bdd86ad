import { Context, type Effect, type Redacted } from "effect"
import type { RegisterAnswer, RegisterFailed, RegisterQuestion } from "./Register.ts"

/** The gateway of one verification source. */
export interface TenantGateway {
  readonly sourceId: string
  readonly url: string
  /** Sent as a Bearer token. */
  readonly secret: Redacted.Redacted
}

type Ask = (question: RegisterQuestion, gateway: TenantGateway) => Effect.Effect<RegisterAnswer, RegisterFailed>

/**
 * Asks gateways that tenants chose. The implementation guards addresses, limits the time and the size of answers, and
 * follows no redirects. Interruptible.
 */
export class TenantGateways extends Context.Service<
  TenantGateways,
  {
    /** Asks with retries. A source that fails repeatedly is not asked for a while. */
    readonly ask: Ask
    /** Asks once, in any case. */
    readonly probe: Ask
  }
>()("@wcs/domain/TenantGateways") {}
