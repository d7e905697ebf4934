import { memo } from "react";
import { AnswerCard } from "./answer-card.tsx";
import type { AnswerPlace } from "./chat-session.ts";
import type { Exchange } from "./conversation.ts";
import type { ModelOption } from "./model-options.ts";
import type { Chat } from "./use-chat.ts";
import { UserMessage } from "./user-message.tsx";

interface ExchangeCardProps {
  readonly exchange: Exchange;
  readonly options: readonly ModelOption[];
  /** The same function at every render, so that a long conversation is not drawn again for each key. */
  readonly onResend: (exchangeId: string, message: string) => void;
  readonly onRetry: (place: AnswerPlace, model: string) => void;
  readonly onDecide: Chat["decide"];
}

/** A message and its answers, beside each other when two models were asked. */
export const ExchangeCard = memo(function ExchangeCard({
  exchange,
  options,
  onResend,
  onRetry,
  onDecide,
}: ExchangeCardProps) {
  const columns = exchange.answers.length > 1 ? "md:grid-cols-2" : "";
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <UserMessage
        exchangeId={exchange.id}
        text={exchange.message}
        onResend={(message) => onResend(exchange.id, message)}
      />
      <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 ${columns}`}>
        {exchange.answers.map((answer, column) => (
          <AnswerCard
            key={column}
            answer={answer}
            name={options.find((option) => option.id === answer.model)?.label ?? answer.model}
            onRetry={() => onRetry({ exchangeId: exchange.id, column }, answer.model)}
            onDecide={(decisions) => onDecide({ exchangeId: exchange.id, column }, decisions)}
          />
        ))}
      </div>
    </article>
  );
});
