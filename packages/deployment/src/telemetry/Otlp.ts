import { TraceRatio } from "@wcs/domain/shared/TraceContext"
import type { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Layer, Option, Tracer } from "effect"
import { FetchHttpClient, Headers, HttpClient, HttpClientError } from "effect/http"
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { TelemetrySettings } from "../settings/Telemetry.ts"
import { version } from "../Version.ts"
import { headersIn } from "./OtlpHeaders.ts"
import { withoutDetails } from "./SpanErrors.ts"

type Options = Option.Option.Value<TelemetrySettings["telemetry"]>

/** The time limit of an export. A collector that hangs would otherwise collect spans in memory. */
const exportMillis = 10_000

/** The HTTP client of the exporter. */
const client = Layer.effect(
  HttpClient.HttpClient,
  HttpClient.HttpClient.useSync(
    HttpClient.transform((answer, request) =>
      Effect.timeoutOrElse(answer, {
        duration: exportMillis,
        orElse: () =>
          Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) }))
      })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

/** The tracer of the exporter, without the details of errors. */
const tracer = Layer.effect(Tracer.Tracer, Effect.map(Tracer.Tracer, withoutDetails))

/** Exports telemetry to a collector by OTLP over HTTP. */
export const layer = ({ headersFile, signals, traceRatio, url }: Options): Layer.Layer<never, StartRefused> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const headers = Option.isSome(headersFile) ? yield* headersIn(headersFile.value) : {}
      const common = { headers, resource: { serviceName: "wcs", serviceVersion: version } }
      const traces = Layer.merge(
        Layer.provide(tracer, OtlpTracer.layer({ ...common, url: `${url}/v1/traces` })),
        Layer.succeed(TraceRatio, traceRatio)
      )
      const metrics = OtlpMetrics.layer({ ...common, url: `${url}/v1/metrics` })
      return Layer.mergeAll(
        signals.includes("traces") ? traces : Layer.empty,
        signals.includes("metrics") ? metrics : Layer.empty
      ).pipe(
        Layer.provide([OtlpSerialization.layerJson, client]),
        // All of them may be keys, and a failed export is logged with its request.
        Layer.provide(Layer.succeed(Headers.CurrentRedactedNames, Object.keys(headers)))
      )
    })
  )
