import { BadRequestException, HttpException } from "@nestjs/common"
import type { Answer } from "../Answer.ts"

/** Refuses a call with a response. */
export class Refused extends HttpException {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(answer.body, answer.status)
    this.answer = answer
  }
}

/** A parameter or a field of the body is invalid. */
export class InvalidArgument extends BadRequestException {}
