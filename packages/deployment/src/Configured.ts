import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as OutgoingRequests from "@wcs/delivery/OutgoingRequests"
import { AuditSettings } from "@wcs/domain/audit/AuditSeal"
import { DocumentQuotaOf } from "@wcs/domain/document/Document"
import { VerificationSettings } from "@wcs/domain/holding/VerificationSettings"
import { LegacyTokenLifetimeSeconds } from "@wcs/domain/legacy/LegacyAuthentication"
import { MessagesOn } from "@wcs/domain/message/Messages"
import { DefaultSchedule } from "@wcs/domain/schedule/Plan"
import { ProgramVersion } from "@wcs/domain/service/Operation"
import { TenantCaps } from "@wcs/domain/token/TenantCaps"
import { AccessTokenLifetimeSeconds } from "@wcs/domain/token/TokenExchange"
import { DefaultSource } from "@wcs/domain/verification/DefaultSource"
import { WarningSettings } from "@wcs/domain/watch/ExpiryWarning"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import { BodyLimitsOf } from "@wcs/http/request/BodyBudget"
import { Effect, Layer, Option } from "effect"
import { Settings } from "./Settings.ts"
import { rateLimiter } from "./stores/Stores.ts"
import { version } from "./Version.ts"

// What the domain and the HTTP surface read of the settings.

/** The maximum numbers of a tenant's resources. */
export const tenantCaps = Layer.unwrap(Settings.use(({ caps }) => Effect.succeed(Layer.succeed(TenantCaps, caps))))

/** All limits, lifetimes and schedules. */
export const layer = Layer.unwrap(
  Settings.use(
    ({
      audit,
      bodyLimits,
      defaultSchedule,
      deliveries,
      documents,
      legacyTokenLifetimeSeconds,
      messages,
      register,
      tokenLifetimeSeconds,
      verifications,
      warnings,
      webhooks
    }) =>
      Effect.succeed(
        Layer.mergeAll(
          rateLimiter,
          tenantCaps,
          Layer.succeed(AuditSettings, audit),
          Layer.succeed(BodyLimitsOf, bodyLimits),
          Layer.succeed(DocumentQuotaOf, documents),
          Layer.succeed(DeliverySettings, deliveries),
          Layer.succeed(VerificationSettings, verifications),
          Layer.succeed(WarningSettings, warnings),
          Layer.succeed(MessagesOn, messages._tag !== "Off"),
          Layer.succeed(DefaultSchedule, defaultSchedule),
          Layer.succeed(
            DefaultSource,
            register._tag === "Reference"
              ? DefaultSource.defaultValue()
              : {
                  accountsOf: Option.getOrNull(register.accountsOf),
                  callsPerMinute: Option.getOrNull(register.callsPerMinute)
                }
          ),
          Layer.succeed(AccessTokenLifetimeSeconds, tokenLifetimeSeconds),
          Layer.succeed(WebhookSettings, webhooks),
          Layer.succeed(ProgramVersion, version),
          Layer.succeed(LegacyTokenLifetimeSeconds, legacyTokenLifetimeSeconds)
        )
      )
  )
)

/** The addresses that outgoing connections may reach besides the internet. */
export const allowedRanges = Layer.unwrap(
  Settings.use(({ deliveries }) => Effect.succeed(Layer.succeed(AllowedRanges, deliveries.allowedAddresses)))
)

/** Outgoing connections, limited to the allowed addresses. */
export const outgoingRequests = Layer.provide(OutgoingRequests.layer, allowedRanges)
