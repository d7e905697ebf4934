import type { LucideIcon } from "lucide-react";
import { Link } from "wouter";

interface FirstStepCardProps {
  readonly href: string;
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text: string;
}

export function FirstStepCard({ href, icon: Icon, title, text }: FirstStepCardProps) {
  return (
    <Link href={href} className="panel grid content-start gap-1.5 p-4 text-ink no-underline hover:border-accent">
      <Icon aria-hidden size={20} className="text-accent" />
      <span className="font-semibold">{title}</span>
      <span className="text-sm text-soft">{text}</span>
    </Link>
  );
}
