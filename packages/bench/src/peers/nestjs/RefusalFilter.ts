import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from "@nestjs/common"
import { type Answer, refusal, refusalOf } from "../Answer.ts"
import { send } from "./Identify.ts"
import type { PlatformRequest, PlatformResponse } from "./Platform.ts"
import { InvalidArgument, Refused } from "./Refused.ts"

/** The status of an exception of Nest, or of an error of Express's body parser. */
const statusOf = (error: unknown): number => {
  if (error instanceof HttpException) return error.getStatus()
  return error instanceof Error && "status" in error ? Number(error.status) : 500
}

const answerTo = (error: unknown, requestId: string): Answer => {
  if (error instanceof Refused) return error.answer
  if (error instanceof InvalidArgument) return refusal(400, "INVALID_ARGUMENT", error.message, requestId)
  return refusalOf(statusOf(error), requestId)
}

/** Answers every exception with the error envelope. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp()
    send(http.getResponse<PlatformResponse>(), answerTo(error, http.getRequest<PlatformRequest>().requestId))
  }
}
