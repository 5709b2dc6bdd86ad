/** No rule should wait for a rate limit, except the rules of limits, which use their own principal. */
const raised = "1000000"

/** The settings of a deployment that the suite judges. */
export const judgedSettings = {
  WCS_LOG_LEVEL: "warn",
  WCS_PORT: "0",
  WCS_ADMIN_PORT: "0",
  WCS_RATE_STANDARD: raised,
  WCS_RATE_INTENSIVE: raised,
  WCS_RATE_UNAUTHENTICATED: raised,
  WCS_RATE_TOKEN_FAILURES: raised,
  WCS_RATE_ADDRESS_FAILURES: raised,
  WCS_RATE_LOGIN_FAILURES: raised,
  WCS_RATE_TOKENS_ISSUED: raised,
  // The suite's receiver is on this machine. Deliveries that it refuses must be retried while the suite waits.
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.0/8",
  WCS_WEBHOOK_RETRIES: "200ms,400ms,800ms,2s"
}
