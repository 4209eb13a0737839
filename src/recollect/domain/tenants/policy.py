"""What counts for a tenant: the server's policies, and what the tenant's settings change."""

from dataclasses import dataclass, field, replace
from typing import Final

from recollect.domain.facts.decay import DecayPolicy, parse_half_lives, spell_half_lives
from recollect.domain.facts.ranking import NO_FACTS, FactPolicy
from recollect.domain.policy import KEEP_ALL, FactExtractorKind, Policies, RetentionPolicy
from recollect.domain.privacy.masking import MaskingMode
from recollect.domain.privacy.results import ResultPolicy
from recollect.domain.tenants.settings import TenantSettings
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput

_NOT_SET: Final = TenantSettings()
_HOURS_OF_A_DAY: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantPolicy:
    """What counts for the users of one tenant."""

    retention: RetentionPolicy = KEEP_ALL
    masking: MaskingMode = MaskingMode.OFF
    results: ResultPolicy = field(default_factory=ResultPolicy)
    archives: bool = False
    """Whether expired sessions are archived before they are deleted."""
    facts: FactPolicy = NO_FACTS
    """Which facts contexts have."""
    learns: bool = False
    """Whether facts are learnt."""
    extractor: FactExtractorKind = FactExtractorKind.LOCAL
    decay: DecayPolicy = field(default_factory=DecayPolicy)

    def to_json(self) -> dict[str, JsonValue]:
        """The policy by the names and in the spelling of settings."""
        return {
            "retention": str(self.retention),
            "mask_pii": self.masking,
            "store_results": str(self.results),
            "archive": self.archives,
            "facts": self.facts.is_enabled,
            "learn_facts": self.learns,
            "facts_extractor": self.extractor,
            "facts_half_lives": spell_half_lives(self.decay.half_lives),
            "facts_prune_below": self.decay.threshold,
        }

    def no_wider_than(self, other: "TenantPolicy") -> "TenantPolicy":
        """This policy with no more stored of what users say than the other one allows.

        For a policy that may have changed since it was read.
        """
        is_unmasked = self.masking is MaskingMode.OFF
        return replace(
            self,
            masking=other.masking if is_unmasked else self.masking,
            results=self.results.stricter(other.results),
            learns=self.learns and other.learns,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPolicy:
    """The server's policies, and what it has that tenants may choose."""

    policies: Policies = field(default_factory=Policies)
    has_archive: bool = False
    extractors: frozenset[FactExtractorKind] = frozenset()
    """Who can find facts; nobody, if empty."""
    extractor: FactExtractorKind = FactExtractorKind.LOCAL
    """Who does, unless a tenant has set another one."""

    def of(self, tenant: str, settings: TenantSettings = _NOT_SET) -> TenantPolicy:
        """What counts for a tenant with these settings.

        What it has set and this server does not have counts as not set, but for masks: without a
        key nothing can be stored then.
        """
        given, policies = settings, self.policies
        facts = self._facts(given)
        learns = facts.is_enabled if given.learn_facts is None else given.learn_facts
        mode, extractor = given.mask_pii, given.facts_extractor
        return TenantPolicy(
            retention=RetentionPolicy.parse(given.retention)
            if given.retention
            else policies.retention.of(tenant),
            masking=policies.masking.usual if mode is None else mode,
            results=ResultPolicy.parse(given.store_results)
            if given.store_results
            else policies.results,
            archives=self.has_archive and given.archive is not False,
            facts=facts,
            learns=learns and facts.is_enabled and bool(self.extractors),
            extractor=extractor if extractor in self.extractors else self.extractor,
            decay=self._decay(given),
        )

    def check(self, settings: TenantSettings) -> None:
        """Refuse settings that need what this server does not have, or delete all within an hour.

        Raises:
            InvalidInput: names the setting, and what is wrong with it.
        """
        if settings.retention and self._is_too_brief(RetentionPolicy.parse(settings.retention)):
            raise InvalidInput("retention", "must be an hour at least, which is 0.042 days")
        if settings.mask_pii not in {None, MaskingMode.OFF} and not self.policies.masking.key:
            raise InvalidInput("mask_pii", "needs MEMORY_MASKING_KEY on this server")
        if settings.archive and not self.has_archive:
            raise InvalidInput("archive", "cannot be on: this server has no MEMORY_ARCHIVE")
        if (settings.facts or settings.learn_facts) and not self.policies.keeps_index:
            name = "facts" if settings.facts else "learn_facts"
            raise InvalidInput(name, "cannot be on: this server has MEMORY_RECALL=off")
        extractor = settings.facts_extractor
        if extractor is not None and extractor not in self.extractors:
            raise InvalidInput(
                "facts_extractor",
                f"cannot be {extractor} on this server; llm needs MEMORY_LLM_BASE_URL and "
                "MEMORY_LLM_MODEL",
            )

    @staticmethod
    def _is_too_brief(retention: RetentionPolicy) -> bool:
        # Operators can set less to try it out; a tenant's administrator has only mistyped it.
        return 0 < retention.days < 1 / _HOURS_OF_A_DAY

    def _facts(self, given: TenantSettings) -> FactPolicy:
        policies = self.policies
        if not policies.keeps_index:
            return NO_FACTS
        if given.facts is None:
            return policies.facts
        return replace(policies.facts, is_enabled=given.facts)

    def _decay(self, given: TenantSettings) -> DecayPolicy:
        usual = self.policies.fact_decay
        lives, threshold = given.facts_half_lives, given.facts_prune_below
        if lives is None and threshold is None:
            return usual
        return DecayPolicy(
            half_lives=usual.half_lives if lives is None else parse_half_lives(lives),
            threshold=usual.threshold if threshold is None else threshold,
        )
