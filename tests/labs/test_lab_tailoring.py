"""A lab on one kind of machine: its arms, its models, its order, and the jobs of its arms."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from specquiz.labs.evidence import ArmRun
from specquiz.labs.loading import find_lab, load_labs, load_workload
from specquiz.labs.model import Arm, Lab, Sampling, SamplingChange, Setting
from specquiz.labs.plan import further_models, plan_job
from specquiz.labs.tailoring import Leg, failed_as_expected, sampling_of, schedule, tailored, workloads_of

replace = msgspec.structs.replace
LABS = {lab.id: lab for lab in load_labs()}


def two_arms(pairs: int) -> Lab:
    return replace(LABS["ngram-echo"], pairs=pairs)


def test_models_are_filled_in_by_profile() -> None:
    lab = LABS["draft-vs-ngram"]

    assert tailored(lab, "cpu").arms["draft"].speculative_config["model"] == "tiny/draft"
    assert tailored(lab, "rtx4090").arms["draft"].speculative_config["model"] == "Qwen/Qwen3-0.6B"
    assert tailored(lab, "rtx4090").arms["alone"].model == "Qwen/Qwen3-0.6B"
    assert tailored(LABS["calibrate-harness"], "cpu").arms["self"].speculative_config["model"] == "tiny/target"


def test_arms_predictions_and_rules_of_another_profile_stay_away() -> None:
    lab = LABS["draft-vs-ngram"]
    here = tailored(lab, "cpu")

    assert list(here.arms) == ["ngram", "draft"]
    assert "speed" not in [each.id for each in here.predict]
    assert "speed_model" not in [each.id for each in here.grade]
    assert "speed_model" in [each.id for each in tailored(lab, "rtx4090").grade]


def test_what_the_learner_wrote_stands_in_for_the_labs_own_config() -> None:
    written = {"yours": {"method": "draft_model", "model": "{draft}", "num_speculative_tokens": 6}}
    here = tailored(LABS["tune-to-target"], "cpu", written)

    assert here.arms["yours"].speculative_config["model"] == "tiny/draft"
    assert here.arms["yours"].speculative_config["num_speculative_tokens"] == 6


def test_without_pairs_each_arm_starts_once_in_the_order_of_the_file() -> None:
    assert schedule(two_arms(0)) == (Leg("vanilla", 1), Leg("ngram", 1))


def test_with_pairs_arms_take_turns_and_neighbours_share_a_start() -> None:
    assert schedule(two_arms(2)) == (Leg("vanilla", 1), Leg("ngram", 2), Leg("vanilla", 1))
    assert schedule(two_arms(4)) == (
        Leg("vanilla", 1),
        Leg("ngram", 2),
        Leg("vanilla", 2),
        Leg("ngram", 2),
        Leg("vanilla", 1),
    )


@given(st.integers(1, 9))
def test_with_pairs_every_arm_runs_as_often_and_none_is_favoured(pairs: int) -> None:
    order = [leg.arm for leg in schedule(two_arms(pairs)) for _ in range(leg.repeats)]

    assert order.count("vanilla") == order.count("ngram") == pairs
    if pairs % 2 == 0:
        # A machine that slows down evenly costs both arms the same: their mean places in time are equal.
        places = {arm: [at for at, name in enumerate(order) if name == arm] for arm in ("vanilla", "ngram")}
        assert sum(places["vanilla"]) == sum(places["ngram"])


def test_the_workload_has_the_last_word_on_sampling() -> None:
    lab = replace(
        LABS["ngram-echo"],
        arms={"vanilla": Arm(sampling=SamplingChange(temperature=0.7, max_tokens=50))},
        settings={"echo": Setting(sampling=SamplingChange(temperature=1.0))},
    )

    assert sampling_of(lab, "vanilla", "echo") == Sampling(temperature=1.0, max_tokens=50, ignore_eos=True)
    assert sampling_of(lab, "vanilla", "novel").temperature == 0.7


def test_a_job_has_the_workloads_of_its_arm_with_their_settings() -> None:
    lab = tailored(LABS["exactness"], "cpu")
    workloads = {name: load_workload(file) for name, file in lab.workloads.items()}

    vanilla = msgspec.convert(plan_job(lab, "cpu", "vanilla", workloads), dict)
    assert list(vanilla["workloads"]) == ["echo", "echo_by_three"]
    assert vanilla["workloads"]["echo_by_three"]["together"] == 3
    assert workloads_of(lab, "draft") == ("echo",)
    assert list(msgspec.convert(plan_job(lab, "cpu", "draft", workloads), dict)["workloads"]) == ["echo"]


def test_a_workload_can_take_the_first_prompts_only() -> None:
    lab = tailored(LABS["wrong-draft"], "cpu")
    workloads = {name: load_workload(file) for name, file in lab.workloads.items()}

    prompts = msgspec.convert(plan_job(lab, "cpu", "vanilla", workloads), dict)["workloads"]["novel"]["prompts"]
    assert [each["text"] for each in prompts] == [each.text for each in workloads["novel"].prompts[:12]]


def test_drafts_are_named_for_the_hashes_beside_the_target() -> None:
    assert further_models(LABS["wrong-draft"], "cpu") == ("tiny/other-vocab", "tiny/draft")
    assert further_models(LABS["ngram-echo"], "cpu") == ()
    mine = {"yours": {"method": "draft_model", "model": "{draft}", "num_speculative_tokens": 4}}
    assert further_models(LABS["tune-to-target"], "cpu", mine) == ("tiny/draft",)


def test_only_the_failure_that_the_lab_wants_counts_as_expected() -> None:
    lab = find_lab(list(LABS.values()), "wrong-draft")
    arm = ArmRun(status="failed", started=0.0, reason="Target and draft model should have the same vocabulary size.")

    assert failed_as_expected(lab, "wrong", arm)
    assert failed_as_expected(lab, "wrong", replace(arm, reason="It stopped.", log_tail=arm.reason))
    assert not failed_as_expected(lab, "wrong", replace(arm, reason="Out of memory."))
    assert not failed_as_expected(lab, "wrong", replace(arm, status="finished"))
    assert not failed_as_expected(lab, "repaired", arm)
