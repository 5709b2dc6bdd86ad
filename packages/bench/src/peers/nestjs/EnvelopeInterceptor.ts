import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common"
import { map, type Observable } from "rxjs"
import type { Shown } from "./CredentialsService.ts"
import type { PlatformRequest, PlatformResponse } from "./Platform.ts"

/** Wraps every result in the envelope of responses, and sends its entity tag. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp()
    const { requestId } = http.getRequest<PlatformRequest>()
    return next.handle().pipe(
      map(({ data, tag }: Shown) => {
        http.getResponse<PlatformResponse>().setHeader("etag", tag)
        return { data, meta: { requestId } }
      })
    )
  }
}
